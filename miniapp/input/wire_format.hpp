// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "model/cost/allreduce_cost.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// The number format in which gradients are sent. fp32 sends them unchanged. bf16 rounds them to bf16, which
/// halves the bytes; PyTorch DDP's bf16_compress_hook does the same.
enum class WireFormat { fp32, bf16 };

/// The sizes of buckets and the caps are in bytes of gradients in memory for both wire formats, because DDP's
/// hooks compress a bucket that already exists.
using model::gradient_element_bytes;

/// Returns the bytes of an element of a gradient on the wire.
constexpr int wire_element_bytes(WireFormat wire) {
  return wire == WireFormat::bf16 ? 2 : gradient_element_bytes;
}

/// Returns the type of the elements on the wire in a step graph.
constexpr model::DataType data_type_of(WireFormat wire) {
  return wire == WireFormat::bf16 ? model::DataType::bf16 : model::DataType::fp32;
}

/// Returns the bytes on the wire of gradients that take `of_gradients` bytes in memory.
constexpr std::int64_t wire_bytes(std::int64_t of_gradients, WireFormat wire) {
  return of_gradients / gradient_element_bytes * wire_element_bytes(wire);
}
/// Returns the bytes in memory of gradients that take `on_the_wire` bytes on the wire.
constexpr std::int64_t gradient_bytes(std::int64_t on_the_wire, WireFormat wire) {
  return on_the_wire / wire_element_bytes(wire) * gradient_element_bytes;
}

/// Converts a(x), the seconds of an all-reduce of x bytes. In `cost`, x is bytes on the wire, as in tables.
/// In the result, x is bytes of gradients in memory, as the model needs it.
inline model::AllreduceCost of_gradients(model::AllreduceCost cost, WireFormat wire) {
  if (wire == WireFormat::fp32) return cost;
  return [cost = std::move(cost), wire](std::int64_t bytes) { return cost(wire_bytes(bytes, wire)); };
}

/// Returns an upper bound on the error of one element of the averaged gradient, for n = `ranks` ranks. The
/// bound is relative to the mean of |gradient| of this element over the ranks. It does not hold for subnormal
/// numbers.
///
/// Rounding errors multiply (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2):
///
/// - With bf16, a gradient is rounded when it is packed. It is rounded again in each addition on its way to
///   the result. There are at most n - 1 of these additions, whatever the order of the sum. Each rounding is
///   a factor of at most 1 + 2^-8.
/// - The additions are done in fp32, 1/n is rounded to fp32, and the sum is multiplied by 1/n in fp32. These
///   are at most n + 1 factors of 1 + 2^-24, with either wire format.
///
/// The bound is therefore
///
///     bf16: |error| <= ((1 + 2^-8)^n (1 + 2^-24)^(n + 1) - 1) mean
///     fp32: |error| <= ((1 + 2^-24)^(n + 1) - 1) mean
double wire_error_bound(WireFormat wire, int ranks);

}  // namespace ddproxy
