// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "miniapp/predict/analysis/figure_of_merit.hpp"

namespace ddproxy {

/// Device memory of a rank that is not in arrays of ddproxy, in bytes. NaN: not measured.
struct LibraryMemory {
  /// Memory in use before the run allocates anything: of the context of this process, and of other programs.
  double context = not_available;
  double blas = not_available;  ///< memory that the first matrix product takes: handle, workspace, kernels
  double nccl = not_available;  ///< memory that the communicator and its first all-reduce take
};

/// Runs `action` and returns the bytes by which the free memory of the run's device becomes smaller. The
/// result has a meaning only if no other process allocates memory there meanwhile. Returns NaN on a host.
/// Throws the exceptions of `action` and of free_device_memory() (miniapp/device/device.hpp).
double device_memory_taken(std::function<void()> const& action);

/// Carries out the first matrix product of the run and returns the bytes of device memory that it takes, as
/// device_memory_taken() does. Also throws what kernels::gemm() throws.
double take_blas_memory();

}  // namespace ddproxy
