// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// The place of a rank in its group of a communicator.
struct GroupPlace {
  int rank = 0;   ///< from 0
  int ranks = 1;  ///< n
  int group = 0;  ///< number of the group among all groups of the communicator, from 0
};

/// The groups of equal size that carry out the same collectives at the same time.
struct Grouping {
  int ranks = 1;   ///< of one group: n
  int groups = 1;  ///< number of groups
};

}  // namespace ddproxy
