// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::bench {

/// What this machine can do with the threads that the space has, measured just now.
struct Peaks {
  double flops;  ///< per second, the backend's best product of large square matrices
  double bytes;  ///< per second, a[i] = b[i] + s c[i] as in STREAM's triad, three arrays counted (McCalpin,
                 ///< 1995)
};

Peaks measure_peaks();

}  // namespace ddproxy::bench
