// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/verify_collective.hpp"

#include <cmath>
#include <utility>

#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/measure/calibration/measure.hpp"

namespace ddproxy {
namespace {

int groups_of(RankContext const& context) {
  return verification_groups(context.workload.wire, context.place().ranks);
}

// Returns the place of the rank that sends, for a send and for its receive.
int sender_of(CollectiveCall const& call, GroupPlace place) {
  return call.verb == model::Verb::receive ? call.root_or_peer : place.rank;
}

// Returns a shift of the verification pattern that no other group has. So the check notices if a rank of
// another group took part. For a send, no other sender has the shift, either.
std::uint64_t shift_of(RankContext const& context, CollectiveCall const& call) {
  constexpr std::uint64_t between = 1'000'003;
  const GroupPlace place = context.place();
  const int number =
      is_transfer(call.verb) ? place.group * place.ranks + sender_of(call, place) : place.group;
  return between * static_cast<std::uint64_t>(number);
}

auto part_of(RankContext const& context, Slice slice) {
  return Kokkos::subview(kernels::view_of(context.arena), std::pair{slice.offset, slice.end()});
}

// Writes the numbers that this rank contributes, and 0 to the other elements that it assigns. In an
// all-gather and in a broadcast, every rank of a group sends the same pattern.
void write_contribution(RankContext& context, CollectiveCall const& call) {
  if (call.assigned != call.read) Kokkos::deep_copy(part_of(context, call.assigned), 0.0F);
  Kokkos::fence();
  if (reduces(call.verb))
    return write_verification_pattern(kernels::view_of(context.arena), call.read, context.place().rank,
                                      groups_of(context), shift_of(context, call));
  write_verification_pattern(kernels::view_of(context.arena), call.read, 0, 1, shift_of(context, call));
}

// Returns the elements to check. The root of a broadcast and the sender of a send assign nothing, so the
// elements that they sent are checked. The expected numbers depend on the place of an element. So if a
// reduce-scatter assigned its part outside the elements that it read, this function copies the part to its
// place among them.
Slice elements_to_check(RankContext& context, CollectiveCall const& call) {
  if (call.assigned.count == 0) return call.read;
  if (call.verb != model::Verb::reduce_scatter) return call.assigned;
  const Slice own = own_part(call.read, context.place());
  if (own == call.assigned) return own;
  Kokkos::deep_copy(part_of(context, own), part_of(context, call.assigned));
  Kokkos::fence();
  return own;
}

// Returns the number of wrong elements on this rank.
std::int64_t count_here(RankContext& context, CollectiveCall const& call) {
  if (!takes_part(call)) return 0;
  const Slice result = elements_to_check(context, call);
  const bool sums = reduces(call.verb);
  return find_wrong(kernels::view_of(context.arena), result, sums ? context.place().ranks : 1,
                    sums ? groups_of(context) : 1, shift_of(context, call))
      .count;
}

// Returns the number of wrong elements over all ranks.
std::int64_t count_wrong(RankContext& context, CollectiveCall const& call) {
  return std::llround(context.runtime.sum(static_cast<double>(count_here(context, call))));
}

}  // namespace

VerifiedCall verify_collective(RankContext& context, CollectiveCall const& call) {
  if (context.reduces() && takes_part(call)) write_contribution(context, call);
  const double seconds = time_calls(context, {call});
  return {context.reduces() ? count_wrong(context, call) : -1, seconds};
}

}  // namespace ddproxy
