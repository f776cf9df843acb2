// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/comparison_buffers.hpp"

#include <algorithm>

namespace ddproxy {

bool compares_precision(Config const& config) {
  return config.precision != Precision::fp32 && config.compute == ComputeMode::kernels;
}

PrecisionBuffers precision_buffers(model::BackwardPass const& pass) {
  std::size_t largest = 0;
  for (auto const& gradient : pass.gradients) largest = std::max(largest, gradient.slice().count);
  return {pass.gradients.elements(), largest};
}

double precision_memory(Config const& config, Workload const& workload) {
  return compares_precision(config) ? precision_buffers(workload.pass).bytes() : 0;
}

bool compares_wire(Config const& config) {
  return config.wire != WireFormat::fp32 && config.backend != Backend::replay &&
         config.compute == ComputeMode::kernels;
}

double wire_error_memory(Config const& config) {
  return compares_wire(config) ? WireErrorBuffers{}.bytes() : 0;
}

}  // namespace ddproxy
