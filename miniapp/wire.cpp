// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/wire.hpp"

#include "miniapp/check.hpp"

namespace ddproxy {
namespace {

// Commutative to the last bit, so that every rank finds the same sum.
void add(void* from, void* to, int* count, MPI_Datatype*) {
  auto const* a = static_cast<Bf16 const*>(from);
  auto* b = static_cast<Bf16*>(to);
  for (int i = 0; i < *count; ++i) b[i] = to_bf16(from_bf16(a[i]) + from_bf16(b[i]));
}

void scale(float* values, std::size_t count, float factor) {
  if (factor == 1.0F) return;
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace

MpiWire::MpiWire(Wire wire, std::size_t piece_elements) : wire_(wire) {
  if (wire == Wire::fp32) return;
  buffer_ = std::make_unique_for_overwrite<Bf16[]>(piece_elements);
  check_mpi(MPI_Op_create(add, 1, &sum_));
}

MpiWire::~MpiWire() {
  if (sum_ != MPI_SUM) MPI_Op_free(&sum_);
}

void* MpiWire::pack(float* values, std::size_t count) {
  if (wire_ == Wire::fp32) return values;
  for (std::size_t i = 0; i < count; ++i) buffer_[i] = to_bf16(values[i]);
  return buffer_.get();
}

void MpiWire::unpack(float* values, std::size_t count, float factor) const {
  if (wire_ == Wire::fp32) return scale(values, count, factor);
  for (std::size_t i = 0; i < count; ++i) values[i] = from_bf16(buffer_[i]) * factor;
}

}  // namespace ddproxy
