// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::bench {

/// Measures the peaks of this machine with the threads of the execution space. They are measured at every
/// call, because other programs on the machine change them within minutes. Each call returns the maximum of
/// `tries` measurements.
class Peaks {
 public:
  Peaks();
  /// Returns the flops per second of the backend's product of large square matrices.
  double flops(int tries) const;
  /// Returns the bytes per second of a[i] = b[i] + s c[i], STREAM's triad (McCalpin, 1995). Counts the
  /// bytes of three arrays.
  double bytes(int tries) const;
  /// Returns the bytes per second of a loop that reads and writes three arrays and reads a fourth, 28 bytes
  /// per element, as an optimizer's update does. The triad would give too low a peak for an update: the
  /// processor reads each line before the triad writes it, and these reads are not counted.
  double update_bytes(int tries) const;

 private:
  // Arrays of `length` elements are larger than the caches.
  static constexpr kernels::Index rows = 1536, length = kernels::Index{1} << 24;
  kernels::Floats a_, b_, c_, d_;
};

}  // namespace ddproxy::bench
