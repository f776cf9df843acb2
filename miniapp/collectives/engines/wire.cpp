// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "miniapp/errors/errors.hpp"
#include "miniapp/input/engine_buffers.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::Verb;

// Adds `from` to `to` in fp32 and rounds to bf16. The operation is commutative to the last bit, so that every
// rank gets the same sum.
void add(void* from, void* to, int* count, MPI_Datatype*) {
  auto const* a = static_cast<Bf16 const*>(from);
  auto* b = static_cast<Bf16*>(to);
  for (int i = 0; i < *count; ++i) b[i] = to_bf16(from_bf16(a[i]) + from_bf16(b[i]));
}

// Assigns the average of `from` and `to` to `to`. The result is the same as a sum that is halved afterwards.
void average_of_two(void* from, void* to, int* count, MPI_Datatype*) {
  auto const* __restrict a = static_cast<float const*>(from);
  auto* __restrict b = static_cast<float*>(to);
  for (int i = 0; i < *count; ++i) b[i] = (a[i] + b[i]) * 0.5F;
}

void multiply(float* values, std::size_t count, float factor) {
  if (factor == 1.0F) return;
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

void copy(float const* from, Bf16* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to_bf16(from[i]);
}

void copy(float const* from, float* to, std::size_t count) {
  std::copy_n(from, count, to);
}

float to_float(Bf16 value) {
  return from_bf16(value);
}
float to_float(float value) {
  return value;
}

template <class Element>
void copy_scaled(Element const* from, float* to, std::size_t count, float factor) {
  for (std::size_t i = 0; i < count; ++i) to[i] = to_float(from[i]) * factor;
}

template <class Element>
void add_scaled(Element const* from, float* to, std::size_t count, float factor) {
  for (std::size_t i = 0; i < count; ++i) to[i] += to_float(from[i]) * factor;
}

template <class Element>
void gather_runs(Runs const& runs, float const* memory, Element* buffer) {
  for (std::size_t run = 0; run < runs.count; ++run)
    copy(memory + runs.first.offset + run * runs.step, buffer + runs.in_buffer + run * runs.first.count,
         runs.first.count);
}

template <class Element>
void spread_runs(Runs const& runs, Element const* buffer, float* memory, float factor, bool adds) {
  const auto spread = adds ? add_scaled<Element> : copy_scaled<Element>;
  for (std::size_t run = 0; run < runs.count; ++run)
    spread(buffer + runs.in_buffer + run * runs.first.count, memory + runs.first.offset + run * runs.step,
           runs.first.count, factor);
}

bool in_own_part(CollectiveCall const& call, GroupPlace place) {
  const bool scatters = call.verb == Verb::reduce_scatter;
  const Slice whole = scatters ? call.read : call.assigned, part = scatters ? call.assigned : call.read;
  return part == own_part(whole, place);
}

// Makes a message point to its elements in the memory. Such a message needs no buffer.
void point_into_memory(MpiMessage& message, CollectiveCall const& call, GroupPlace place, Runs const& read,
                       Runs const& assigned, float* memory) {
  float* const from = memory + read.first.offset;
  float* const to = memory + assigned.first.offset;
  const bool in_place =
      call.verb == Verb::all_reduce || (call.verb == Verb::all_gather && in_own_part(call, place));
  message.send = in_place ? MPI_IN_PLACE : from;
  message.receive = assigned.count > 0 ? to : from;
}

}  // namespace

MpiWire::MpiWire(WireFormat wire, std::size_t piece_elements, GroupPlace place, Scale scale)
    : wire_(wire),
      place_(place),
      scale_(scale),
      piece_elements_(piece_elements),
      factor_(1.0F / static_cast<float>(place.ranks)) {
  const EngineBuffers buffers = buffers_of_mpi(wire, piece_elements, place.ranks);
  if (wire == WireFormat::bf16) {
    bf16_ = std::make_unique_for_overwrite<Bf16[]>(buffers.rounded);
    fp32_ = std::make_unique_for_overwrite<float[]>(buffers.results);  // for exact calls
    check_mpi(MPI_Op_create(add, 1, &average_));
    return;
  }
  if (scale) return;
  fp32_ = std::make_unique_for_overwrite<float[]>(buffers.results);
  if (place.ranks != 2) return;
  factor_ = 1;
  check_mpi(MPI_Op_create(average_of_two, 1, &average_));
}

MpiWire::~MpiWire() {
  if (average_ != MPI_SUM) MPI_Op_free(&average_);
}

CallPieces MpiWire::cut(CollectiveCall const& call) const {
  check_call(call, place_);
  const bool parts_lie_apart = call.verb == Verb::all_gather || (call.verb == Verb::reduce_scatter && scale_);
  if (rounds(call) || !parts_lie_apart) return {call, place_, piece_elements_};
  if (call.verb == Verb::reduce_scatter && in_own_part(call, place_))
    throw std::invalid_argument(
        "reduce_scatter: MPI cannot write its result to device memory that it also reads; use [allreduce] "
        "buffers = \"staged\"");
  if (call.adds)
    throw std::invalid_argument(
        "reduce_scatter: MPI does not add to device memory; reduce into a separate buffer, and add this "
        "buffer with a compute task");
  CallPieces whole(call, place_, full_slice(call).count);
  if (whole.part_elements(0) > std::numeric_limits<int>::max())
    throw std::invalid_argument(fmt::format("{}: MPI takes at most {} elements a rank, not {}",
                                            model::name_of(call.verb), std::numeric_limits<int>::max(),
                                            whole.part_elements(0)));
  return whole;
}

bool MpiWire::rounds(CollectiveCall const& call) const {
  return wire_ == WireFormat::bf16 && !call.exact;
}

bool MpiWire::is_packed(CallPieces const& pieces) const {
  return rounds(pieces.call()) || (pieces.call().verb == Verb::reduce_scatter && !scale_);
}

bool MpiWire::is_assigned_by_mpi(CallPieces const& pieces) const {
  CollectiveCall const& call = pieces.call();
  if (!is_packed(pieces)) return true;
  return !rounds(call) && !call.adds && (pieces.count() > 1 || !in_own_part(call, place_));
}

void MpiWire::fill_buffer(bool rounded, Runs const& from, float const* memory) {
  rounded ? gather_runs(from, memory, bf16_.get()) : gather_runs(from, memory, fp32_.get());
}

MpiMessage MpiWire::pack(CallPieces const& pieces, std::size_t piece, float* memory) {
  CollectiveCall const& call = pieces.call();
  const bool rounded = rounds(call);
  MpiMessage message{.send = nullptr,
                     .receive = nullptr,
                     .count = static_cast<int>(pieces.part_elements(piece)),
                     .type = rounded ? MPI_UINT16_T : MPI_FLOAT,
                     .operation = average_,
                     .root_or_peer = call.root_or_peer,
                     .tag = 0,
                     .communicator = MPI_COMM_NULL};
  // With two ranks and wire "fp32", average_ also halves the sum. So a call that only sums uses MPI_SUM. With
  // wire "bf16", average_ adds elements in bf16. So an exact call, whose elements are in fp32, uses MPI_SUM.
  const bool exact_among_rounded = wire_ == WireFormat::bf16 && !rounded;
  if (exact_among_rounded || (!rounded && call.reduction == model::Reduction::sum))
    message.operation = MPI_SUM;
  const Runs read = pieces.read(piece), assigned = pieces.assigned(piece);
  if (!is_packed(pieces)) {
    point_into_memory(message, call, place_, read, assigned, memory);
    return message;
  }
  void* const buffer = rounded ? static_cast<void*>(bf16_.get()) : fp32_.get();
  const bool lies_packed = !rounded && pieces.count() == 1;  // a reduce-scatter in one piece
  if (!lies_packed) fill_buffer(rounded, read, memory);
  const bool by_mpi = is_assigned_by_mpi(pieces);
  message.receive = by_mpi ? memory + assigned.first.offset : buffer;
  message.send = lies_packed                         ? memory + read.first.offset
                 : by_mpi || call.verb == Verb::send ? buffer
                                                     : MPI_IN_PLACE;
  return message;
}

bool MpiWire::exchanges(CallPieces const& pieces, std::size_t piece) const {
  CollectiveCall const& call = pieces.call();
  return call.verb == Verb::all_reduce && call.reduction == model::Reduction::average && place_.ranks == 2 &&
         wire_ == WireFormat::fp32 && fp32_ &&
         exchange_is_faster(static_cast<int>(pieces.part_elements(piece)));
}

void MpiWire::begin_exchange(MpiMessage const& message, AverageExchange& exchange) const {
  exchange.begin(static_cast<float*>(message.receive), message.count, fp32_.get(), message.communicator);
}

void MpiWire::unpack(CallPieces const& pieces, std::size_t piece, float* memory) const {
  CollectiveCall const& call = pieces.call();
  Runs to = pieces.assigned(piece);
  if (to.count == 0) return;
  const float factor = reduces(call.verb) && call.reduction == model::Reduction::average ? factor_ : 1.0F;
  if (call.verb == Verb::reduce_scatter) to.in_buffer = 0;  // MPI assigns the part at the buffer's start
  if (rounds(call)) return spread_runs(to, bf16_.get(), memory, factor, call.adds);
  if (!is_assigned_by_mpi(pieces)) return spread_runs(to, fp32_.get(), memory, factor, call.adds);
  if (!reduces(call.verb)) return;
  float* const values = memory + to.first.offset;
  scale_ ? scale_(values, to.first.count, factor) : multiply(values, to.first.count, factor);
}

}  // namespace ddproxy
