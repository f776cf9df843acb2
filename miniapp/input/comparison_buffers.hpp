// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

// The arrays in host memory with which a run compares gradients before it takes samples
// (miniapp/measure/verification). There are two comparisons: one of precisions, one of wire formats. They
// allocate these arrays, and the prediction of memory (memory_need.hpp) counts them. The comparison of
// precisions frees its arrays before the comparison of wire formats starts.
namespace ddproxy {

/// Returns whether a run of this input compares its gradients with those of fp32 products
/// (miniapp/measure/verification/precision.hpp).
bool compares_precision(Config const& config);

/// The arrays of the comparison of precisions, in elements.
struct PrecisionBuffers {
  std::size_t gradients;  ///< all gradients, computed with products in fp32
  std::size_t largest;    ///< copy of one gradient at a time; has the elements of the largest gradient
  double bytes() const { return static_cast<double>(gradients + largest) * gradient_element_bytes; }
};

/// Returns the sizes of these arrays for the gradients of a backward pass.
PrecisionBuffers precision_buffers(model::BackwardPass const& pass);

/// Returns the bytes of host memory that a rank needs for the comparison of precisions, in a build for a
/// device. Returns 0 if the run compares nothing.
double precision_memory(Config const& config, Workload const& workload);

/// Returns whether a run of this input compares its reduced gradients with their fp32 average
/// (miniapp/measure/verification/wire_error.hpp).
bool compares_wire(Config const& config);

/// The largest number of elements that the comparison of wire formats reduces at once.
inline constexpr std::size_t compared_at_once = 1 << 18;

/// The arrays of the comparison of wire formats, in elements.
struct WireErrorBuffers {
  std::size_t sum = compared_at_once;      ///< sums of the gradients over the ranks
  std::size_t size = compared_at_once;     ///< sums of their absolute values over the ranks
  std::size_t reduced = compared_at_once;  ///< the same gradients, reduced in the wire format
  double bytes() const { return static_cast<double>(sum + size + reduced) * gradient_element_bytes; }
};

/// Returns the bytes of host memory that a rank needs for the comparison of wire formats. Returns 0 if the
/// run compares nothing.
double wire_error_memory(Config const& config);

}  // namespace ddproxy
