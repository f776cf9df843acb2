// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// From now on matrix products are computed so. Throws std::invalid_argument where this build cannot.
void set_product_precision(Precision precision);

/// Returns whether a run of this input compares its gradients with those of fp32 products
/// (miniapp/measure/verification/precision.hpp).
inline bool compares_precision(Config const& config) {
  return config.precision != Precision::fp32 && config.compute == ComputeMode::kernels;
}

/// Bytes of the host's memory that measure_precision_errors() takes where a device computes.
double precision_memory(Workload const& workload);

}  // namespace ddproxy
