// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// Peak rates of one device, for the roofline.
struct Machine {
  double peak_flops = 0;  ///< flop/s at the precision in use
  double bandwidth = 0;   ///< memory bandwidth, bytes/s
  double efficiency = 1;  ///< share of the roofline that operations reach, in (0, 1]
};

}  // namespace ddproxy::model
