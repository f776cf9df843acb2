// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "kernels/base/bf16.hpp"
#include "miniapp/collectives/engines/call_pieces.hpp"
#include "miniapp/collectives/engines/exchange_average.hpp"
#include "miniapp/collectives/engines/mpi_calls.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {

/// Multiplies `count` values in device memory by `factor`, and waits until that is done.
using Scale = void (*)(float* values, std::size_t count, float factor);

/// Converts a piece of a collective to and from the form in which MPI transfers it, and turns sums into
/// averages over the ranks.
///
/// Order of calls: cut() a call into pieces; then, for each piece, pack(), the call of MPI, and unpack().
/// Finish one piece before the next one, because all pieces share the buffers.
///
/// fp32: a piece is transferred directly from and to the memory. Only two kinds of calls use a buffer, both
/// on host memory: an all-reduce that an AverageExchange averages, and a reduce-scatter. If a reduce-scatter
/// has several pieces, pack() copies the parts of a piece into the buffer, one directly after the other,
/// because MPI needs them in this form. If it has one piece and works in place, MPI assigns the result to the
/// buffer, because MPI must not assign elements that it reads. If it adds, MPI writes the result to the
/// buffer, and unpack() adds the result to the memory.
///
/// bf16: a piece is rounded into a buffer. MPI has no bf16 type, so a user-defined operation
/// (MPI_User_function) adds in fp32 and rounds the sum. In a broadcast, an all-gather or a receive, the ranks
/// get rounded values. The root of a broadcast keeps its own values, which are not rounded. An all-gather
/// also rounds the rank's own part, so that all ranks hold the same numbers.
///
/// A call that is exact (CollectiveCall::exact) is transferred in fp32 with either format.
///
/// Average: with two ranks, each element takes part in one addition only. So in fp32 on host memory a
/// user-defined operation or an AverageExchange adds and halves at once. In all other cases the sum is
/// multiplied by 1/n after the call, while the piece is in cache.
///
/// If a reduce-scatter adds its result, unpack() adds each piece from the buffer while the piece is in cache.
class MpiWire {
 public:
  /// Allocates the buffers. A piece has at most `piece_elements` elements. For device memory pass `scale`,
  /// and WireFormat::fp32, because device memory is transferred directly. For host memory `scale` is null.
  MpiWire(WireFormat wire, std::size_t piece_elements, GroupPlace place, Scale scale = nullptr);
  ~MpiWire();
  MpiWire(MpiWire const&) = delete;
  MpiWire& operator=(MpiWire const&) = delete;

  /// Cuts a collective into pieces. If a collective has parts and is transferred directly from the memory, it
  /// becomes a single piece, because MPI needs the parts of a message without gaps between them. Throws as
  /// check_call() (collective_call.hpp) does. Throws std::invalid_argument for a reduce-scatter of device
  /// memory that works in place or adds, and for a part with more elements than MPI can count.
  CallPieces cut(CollectiveCall const& call) const;
  /// Converts a piece of `memory` to its message and returns the message. The caller sets its communicator
  /// and its tag. The message points into `memory`, or into a buffer that is valid until the next pack().
  MpiMessage pack(CallPieces const& pieces, std::size_t piece, float* memory);
  /// Returns whether the piece that was packed last should be averaged by an exchange, not by MPI's function
  /// for all-reduces. This is so if the piece is part of an all-reduce that averages host memory over two
  /// ranks in fp32, and exchange_is_faster() (exchange_average.hpp) returns true for its size.
  bool exchanges(CallPieces const& pieces, std::size_t piece) const;
  /// Begins to average the piece that was packed last with `exchange`, in place of MPI's function. `message`
  /// is the result of pack(). Call unpack() when the exchange is complete, as after MPI's function.
  void begin_exchange(MpiMessage const& message, AverageExchange& exchange) const;
  /// Assigns the result of the piece that was packed last to `memory`, or adds it if the call adds. The
  /// result is the transferred values, their sum or their average.
  void unpack(CallPieces const& pieces, std::size_t piece, float* memory) const;

  /// Returns the bytes of an element of a call on the wire.
  int element_bytes(CollectiveCall const& call) const {
    return wire_element_bytes(rounds(call) ? WireFormat::bf16 : WireFormat::fp32);
  }
  std::string_view name() const { return word_of(wire_, wire_words); }

 private:
  bool rounds(CollectiveCall const& call) const;  // whether the call is transferred in bf16
  bool is_packed(CallPieces const& pieces) const;
  // Returns whether MPI assigns the result of a piece to the memory, and not to a buffer.
  bool is_assigned_by_mpi(CallPieces const& pieces) const;
  void fill_buffer(bool rounded, Runs const& from, float const* memory);

  WireFormat wire_;
  GroupPlace place_;
  Scale scale_;
  std::size_t piece_elements_;
  MPI_Op average_ = MPI_SUM;
  float factor_;  // a reduced message times this factor is the average
  std::unique_ptr<Bf16[]> bf16_;
  std::unique_ptr<float[]> fp32_;
};

}  // namespace ddproxy
