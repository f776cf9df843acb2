// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Sets the precision of all later matrix products. Throws std::invalid_argument if this build does not
/// support it.
void set_product_precision(Precision precision);

/// Returns whether a run of this input compares its gradients with those of fp32 products
/// (miniapp/measure/verification/precision.hpp).
inline bool compares_precision(Config const& config) {
  return config.precision != Precision::fp32 && config.compute == ComputeMode::kernels;
}

/// Returns the bytes of host memory that measure_precision_errors() (verification/precision.hpp) needs in a
/// build for a device: all gradients in fp32, and a copy of the largest one.
double precision_memory(Workload const& workload);

}  // namespace ddproxy
