// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/collective_call.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::Verb;

[[noreturn]] void refuse(CollectiveCall const& call, std::string const& why) {
  throw std::invalid_argument(fmt::format("{}: {}", model::name_of(call.verb), why));
}

void require_divisible(CollectiveCall const& call, std::size_t elements, int ranks) {
  if (const auto n = static_cast<std::size_t>(ranks); elements % n != 0)
    refuse(call, fmt::format("{} elements are not divisible by {} ranks; pad them to {}", elements, ranks,
                             (elements + n - 1) / n * n));
}

// Requires that `part` is the part of `whole` at this rank's place, or lies outside `whole`.
void check_parts(CollectiveCall const& call, Slice whole, Slice part, GroupPlace place) {
  require_divisible(call, whole.count, place.ranks);
  if (part.count * static_cast<std::size_t>(place.ranks) != whole.count)
    refuse(call, fmt::format("{} parts (one on each rank) of {} elements do not add up to {} elements",
                             place.ranks, part.count, whole.count));
  const bool outside = part.end() <= whole.offset || whole.end() <= part.offset;
  const bool own = part == own_part(whole, place);
  if (!outside && !own)
    refuse(call, fmt::format("elements {} to {} overlap elements {} to {} and are not the part of rank {}",
                             part.offset, part.end() - 1, whole.offset, whole.end() - 1, place.rank));
}

void check_partner(CollectiveCall const& call, GroupPlace place) {
  const int partner = call.root_or_peer;
  const char* const what = call.verb == Verb::broadcast ? "root" : "peer";
  if (partner < 0 || partner >= place.ranks)
    refuse(call, fmt::format("{} {} is not in the group of {} ranks", what, partner, place.ranks));
  if (call.verb != Verb::broadcast && partner == place.rank)
    refuse(call, fmt::format("rank {} is its own peer", partner));
}

void check_adds(CollectiveCall const& call) {
  if (call.verb != Verb::reduce_scatter)
    refuse(call, "only a reduce_scatter can add its result to the elements that it writes");
  if (call.assigned.offset < call.read.end() && call.read.offset < call.assigned.end())
    refuse(call, "the elements to which it adds must lie outside the elements that it reads");
}

void check_one_slice(CollectiveCall const& call, bool reads) {
  if (reads && call.assigned.count != 0) refuse(call, "a rank that reads must not assign");
  if (!reads && call.read.count != 0) refuse(call, "a rank that assigns must not read");
}

// Returns this rank's call of a transfer between the ranks of each pair. The pairs are ranks 0 and 1, ranks 2
// and 3, and so on. `verb` is that of the lower rank.
CollectiveCall in_pair(Verb verb, Slice full, GroupPlace place) {
  const bool lower = place.rank % 2 == 0;
  const int peer = place.rank + (lower ? 1 : -1);
  const Slice none{full.offset, 0};
  if (peer >= place.ranks) return {verb, none, none};
  if (lower == (verb == Verb::send)) return {Verb::send, full, none, peer};
  return {Verb::receive, none, full, peer};
}

}  // namespace

Slice full_slice(CollectiveCall const& call) {
  return call.read.count >= call.assigned.count ? call.read : call.assigned;
}

void check_grouped(CollectiveCall const& call, GroupPlace place) {
  if (!is_transfer(call.verb)) refuse(call, "only sends and receives can be issued as one group");
  check_call(call, place);
}

void check_call(CollectiveCall const& call, GroupPlace place) {
  if (call.adds) check_adds(call);
  switch (call.verb) {
    case Verb::all_reduce:
      if (call.read != call.assigned) refuse(call, "it must assign the same elements that it reads");
      return;
    case Verb::reduce_scatter:
      return check_parts(call, call.read, call.assigned, place);
    case Verb::all_gather:
      return check_parts(call, call.assigned, call.read, place);
    case Verb::broadcast:
      check_partner(call, place);
      return check_one_slice(call, call.root_or_peer == place.rank);
    case Verb::send:
    case Verb::receive:
      check_partner(call, place);
      return check_one_slice(call, call.verb == Verb::send);
  }
}

CollectiveCall in_place(Verb verb, Slice full, GroupPlace place) {
  if (is_transfer(verb)) return in_pair(verb, full, place);
  CollectiveCall call{verb, full, full};
  if (has_parts(verb)) {
    require_divisible(call, full.count, place.ranks);
    (verb == Verb::reduce_scatter ? call.assigned : call.read) = own_part(full, place);
  }
  if (verb == Verb::broadcast) (place.rank == 0 ? call.assigned : call.read).count = 0;
  check_call(call, place);
  return call;
}

}  // namespace ddproxy
