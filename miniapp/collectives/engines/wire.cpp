// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

// Commutative to the last bit, so that every rank finds the same sum.
void add(void* from, void* to, int* count, MPI_Datatype*) {
  auto const* a = static_cast<Bf16 const*>(from);
  auto* b = static_cast<Bf16*>(to);
  for (int i = 0; i < *count; ++i) b[i] = to_bf16(from_bf16(a[i]) + from_bf16(b[i]));
}

// The same numbers as a sum that is halved afterwards.
void average_of_two(void* from, void* to, int* count, MPI_Datatype*) {
  auto const* __restrict a = static_cast<float const*>(from);
  auto* __restrict b = static_cast<float*>(to);
  for (int i = 0; i < *count; ++i) b[i] = (a[i] + b[i]) * 0.5F;
}

void multiply(float* values, std::size_t count, float factor) {
  if (factor == 1.0F) return;
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace

MpiWire::MpiWire(WireFormat wire, std::size_t piece_elements, int ranks, Scale scale)
    : wire_(wire), scale_(scale), factor_(1.0F / static_cast<float>(ranks)) {
  if (wire == WireFormat::bf16) {
    buffer_ = std::make_unique_for_overwrite<Bf16[]>(piece_elements);
    check_mpi(MPI_Op_create(add, 1, &operation_));
  } else if (ranks == 2 && !scale) {
    factor_ = 1;
    check_mpi(MPI_Op_create(average_of_two, 1, &operation_));
  }
}

MpiWire::~MpiWire() {
  if (operation_ != MPI_SUM) MPI_Op_free(&operation_);
}

void* MpiWire::pack(float* values, std::size_t count) {
  if (wire_ == WireFormat::fp32) return values;
  for (std::size_t i = 0; i < count; ++i) buffer_[i] = to_bf16(values[i]);
  return buffer_.get();
}

void MpiWire::unpack(float* values, std::size_t count) const {
  if (scale_) return scale_(values, count, factor_);
  if (wire_ == WireFormat::fp32) return multiply(values, count, factor_);
  for (std::size_t i = 0; i < count; ++i) values[i] = from_bf16(buffer_[i]) * factor_;
}

}  // namespace ddproxy
