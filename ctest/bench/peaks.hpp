// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::bench {

/// What this machine can do with the threads that the space has, measured when asked for: what else runs on a
/// machine changes it within minutes. The most of so many tries.
class Peaks {
 public:
  Peaks();
  /// Per second, the backend's product of large square matrices.
  double flops(int tries) const;
  /// Per second, a[i] = b[i] + s c[i] as in STREAM's triad, three arrays counted (McCalpin, 1995).
  double bytes(int tries) const;

 private:
  static constexpr kernels::Index rows = 1536, length = kernels::Index{1} << 24;  // more than a cache holds
  kernels::Floats a_, b_, c_;
};

}  // namespace ddproxy::bench
