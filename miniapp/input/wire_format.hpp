// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// The form in which gradients travel: as they are, or rounded to bf16, half the bytes, as PyTorch DDP's
/// bf16_compress_hook sends them.
enum class WireFormat { fp32, bf16 };

/// Bytes of an element of a gradient in memory. Buckets and caps count these, whatever the wire: DDP's hooks
/// compress a bucket that is already made.
inline constexpr int gradient_element_bytes = 4;

constexpr int wire_element_bytes(WireFormat wire) {
  return wire == WireFormat::bf16 ? 2 : gradient_element_bytes;
}

/// What so many bytes of gradients are on the wire, and the reverse.
constexpr std::int64_t wire_bytes(std::int64_t of_gradients, WireFormat wire) {
  return of_gradients / gradient_element_bytes * wire_element_bytes(wire);
}
constexpr std::int64_t gradient_bytes(std::int64_t on_the_wire, WireFormat wire) {
  return on_the_wire / wire_element_bytes(wire) * gradient_element_bytes;
}

/// a(x) of a table, where x is bytes on the wire, as the model asks for it: by bytes of gradients.
inline model::AllreduceCost of_gradients(model::AllreduceCost cost, WireFormat wire) {
  if (wire == WireFormat::fp32) return cost;
  return [cost = std::move(cost), wire](std::int64_t bytes) { return cost(wire_bytes(bytes, wire)); };
}

/// Largest error of an element of the average over n ranks, as a share of the mean of its |gradient| over the
/// ranks. A gradient is rounded when it is packed, and then in each of the at most n - 1 additions between it
/// and the result, whatever the order of the sum (Higham, "Accuracy and Stability of Numerical Algorithms",
/// 2002, section 4.2). With bf16 that is n times a factor of at most 1 + 2^-8; in fp32, in which the
/// additions are done and 1/n is rounded and multiplied by, n + 1 times one of 1 + 2^-24. So with bf16
/// |error| <= ((1 + 2^-8)^n (1 + 2^-24)^(n + 1) - 1) mean, above the range of subnormal numbers.
double wire_error_bound(WireFormat wire, int ranks);

}  // namespace ddproxy
