// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <memory>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {

/// The upper half of a float: 8 bits of significand, the whole range of exponents.
using Bf16 = std::uint16_t;

/// The nearest bf16, ties to even; NaN stays NaN.
KOKKOS_INLINE_FUNCTION Bf16 to_bf16(float value) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<Bf16>((is_nan ? bits | 0x400000 : rounded) >> 16);
}

/// Exact.
KOKKOS_INLINE_FUNCTION float from_bf16(Bf16 value) {
  return Kokkos::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

/// Multiplies values in memory that the host cannot reach, and returns when that is done.
using Scale = void (*)(float* values, std::size_t count, float factor);

/// The form in which a piece of memory goes through MPI, and how its sum becomes an average over the ranks. A
/// piece goes as it is, or rounded to bf16 in a buffer that is allocated here. MPI has no bf16: an addition
/// is one in fp32, rounded (MPI_User_function). Between two ranks each element is added once, so the
/// operation itself halves the sum; with more ranks the sum is multiplied by 1/n after the call, while it is
/// in cache.
class MpiWire {
 public:
  /// A piece has at most `piece_elements`. Device memory needs `scale`, and goes as it is (fp32).
  MpiWire(WireFormat wire, std::size_t piece_elements, int ranks, Scale scale = nullptr);
  ~MpiWire();
  MpiWire(MpiWire const&) = delete;
  MpiWire& operator=(MpiWire const&) = delete;

  /// The message of these values, to be reduced in place with type() and operation().
  void* pack(float* values, std::size_t count);
  /// values = their average over the ranks; assigned. Of the piece that was packed last and is reduced.
  void unpack(float* values, std::size_t count) const;

  int element_bytes() const { return wire_element_bytes(wire_); }
  MPI_Datatype type() const { return wire_ == WireFormat::bf16 ? MPI_UINT16_T : MPI_FLOAT; }
  MPI_Op operation() const { return operation_; }
  char const* name() const { return wire_ == WireFormat::bf16 ? "bf16" : "fp32"; }

 private:
  WireFormat wire_;
  Scale scale_;
  float factor_;  // what the reduced message is to be multiplied by
  MPI_Op operation_ = MPI_SUM;
  std::unique_ptr<Bf16[]> buffer_;
};

}  // namespace ddproxy
