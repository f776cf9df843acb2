// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/collective_row.hpp"

#include <algorithm>

namespace ddproxy {
namespace {

// Returns the elements of a message of `bytes` bytes on the wire.
std::size_t elements_of(RankContext const& context, std::int64_t bytes) {
  const auto wire = context.exact_calls ? WireFormat::fp32 : context.workload.wire;
  return static_cast<std::size_t>(bytes / wire_element_bytes(wire));
}

// Returns the place at which this rank carries out `verb`. In a replay one process stands for all ranks. For
// sends and receives it takes the place of the first rank of a pair.
GroupPlace place_for(RankContext const& context, model::Verb verb) {
  return is_transfer(verb) && !context.reduces() ? GroupPlace{0, 2} : context.place();
}

CollectiveCall call_of(RankContext const& context, model::Verb verb, Slice slice) {
  CollectiveCall call = in_place(verb, slice, place_for(context, verb));
  call.exact = context.exact_calls;
  return call;
}

// Returns the verb of the call at this place in a row. The ranks of a pair send in turn.
model::Verb verb_in_row(model::Verb verb, std::size_t place) {
  return verb == model::Verb::send && place % 2 == 1 ? model::Verb::receive : verb;
}

}  // namespace

std::vector<CollectiveCall> row_of_sample(RankContext const& context, SizeTimes const& times,
                                          std::size_t calls) {
  const std::size_t elements = elements_of(context, times.bytes), arena = context.arena.size();
  const std::size_t part = times.verb == model::Verb::reduce_scatter
                               ? elements / static_cast<std::size_t>(context.place().ranks)
                               : 0;
  const bool has_room = elements + part <= arena;
  const Slice messages{0, has_room ? arena - part : arena};
  std::vector<CollectiveCall> row;
  for (auto const& slice : consecutive_slices(messages, elements, calls, calls * times.seconds.size())) {
    row.push_back(call_of(context, verb_in_row(times.verb, row.size()), slice));
    if (part > 0 && has_room) row.back().assigned.offset = messages.end();
  }
  return row;
}

std::vector<CollectiveCall> row_of_pieces(RankContext const& context, model::Verb verb, std::int64_t total,
                                          std::int64_t piece) {
  std::vector<CollectiveCall> row;
  const auto elements = elements_of(context, total), step = elements_of(context, piece);
  for (std::size_t at = 0; at < elements; at += step)
    row.push_back(call_of(context, verb, {at, std::min(step, elements - at)}));
  return row;
}

}  // namespace ddproxy
