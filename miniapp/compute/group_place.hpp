// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// The place of a rank in its group of a communicator.
struct GroupPlace {
  int rank = 0;   ///< from 0
  int ranks = 1;  ///< n
};

}  // namespace ddproxy
