// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <memory>

#include "miniapp/collectives/engines/call_pieces.hpp"
#include "miniapp/collectives/engines/mpi_calls.hpp"
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

/// The form in which a piece of a collective goes through MPI, and how its sum becomes an average over the
/// ranks. In fp32 it goes as it lies in the memory; a reduce-scatter in several pieces is packed, so that the
/// parts of a piece lie side by side. In bf16 it is rounded into a buffer. MPI has no bf16: an addition is
/// one in fp32, rounded (MPI_User_function). Between two ranks each element is added once, so the operation
/// itself halves the sum; with more ranks the sum is multiplied by 1/n after the call, while it is in cache.
/// A broadcast and a gather in bf16 round what the ranks receive; a gather rounds the rank's own part, too,
/// so that all ranks hold the same numbers. A reduce-scatter that adds does so when a piece arrives, from the
/// buffer of that piece, while it is in cache. The buffers are allocated here, for pieces.
class MpiWire {
 public:
  /// A piece has at most `piece_elements`. Device memory needs `scale`, and goes as it is (fp32).
  MpiWire(WireFormat wire, std::size_t piece_elements, GroupPlace place, Scale scale = nullptr);
  ~MpiWire();
  MpiWire(MpiWire const&) = delete;
  MpiWire& operator=(MpiWire const&) = delete;

  /// Cuts a collective into pieces. Where fp32 goes as it lies in the memory and parts lie apart there, one
  /// piece has all of it. Throws as check_call(), and for what MPI cannot take.
  CallPieces cut(CollectiveCall const& call) const;
  /// Returns the message of a piece of `memory`; its communicator is the caller's to set.
  MpiMessage pack(CallPieces const& pieces, std::size_t piece, float* memory);
  /// Assigns what has come of the piece that was packed last: values, or their average or sum.
  void unpack(CallPieces const& pieces, std::size_t piece, float* memory) const;

  int element_bytes() const { return wire_element_bytes(wire_); }
  char const* name() const { return wire_ == WireFormat::bf16 ? "bf16" : "fp32"; }

 private:
  bool is_packed(CallPieces const& pieces) const;
  void* fill_buffer(Runs const& from, float const* memory);

  WireFormat wire_;
  GroupPlace place_;
  Scale scale_;
  std::size_t piece_elements_;
  MPI_Op average_ = MPI_SUM;
  float factor_;  // what a reduced message is multiplied by, to be the average
  std::unique_ptr<Bf16[]> bf16_;
  std::unique_ptr<float[]> fp32_;
};

}  // namespace ddproxy
