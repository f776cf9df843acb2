// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "miniapp/compute/compute_lane.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// One rank's part in a collective over the n ranks of a group. Slices count elements of the lane's memory; x
/// is the full size:
///   all_reduce      reads x elements and assigns the same ones
///   reduce_scatter  reads x, assigns the x/n of this rank's place in the group; those may be the rank's own
///                   part of what is read, else they lie outside it. With `adds` the result is added to what
///                   lies there, outside what is read
///   all_gather      reads x/n and assigns x, the parts in the order of the ranks; what is read may be the
///                   rank's own part of what is assigned, else it lies outside it
///   broadcast       the root reads x, the others assign x; `root_or_peer` is the root's place in the group
///   send, receive   reads x; assigns x; `root_or_peer` is the other rank's place in the group
/// A slice that the rank does not use has 0 elements.
struct CollectiveCall {
  model::Verb verb;
  Slice read;
  Slice assigned;
  int root_or_peer = 0;
  model::Reduction reduction = model::Reduction::average;  ///< all_reduce, reduce_scatter
  bool adds = false;                                       ///< reduce_scatter
  bool operator==(CollectiveCall const&) const = default;
};

/// Makes the average of a slice over all ranks, in place.
constexpr CollectiveCall all_reduce(Slice slice) {
  return {model::Verb::all_reduce, slice, slice};
}

/// Returns whether a verb goes from one rank to another.
constexpr bool is_transfer(model::Verb verb) {
  return verb == model::Verb::send || verb == model::Verb::receive;
}

/// Returns whether each rank reads, or assigns, an own part of x/n elements.
constexpr bool has_parts(model::Verb verb) {
  return verb == model::Verb::reduce_scatter || verb == model::Verb::all_gather;
}

/// Returns whether a verb adds what the ranks have.
constexpr bool reduces(model::Verb verb) {
  return verb == model::Verb::all_reduce || verb == model::Verb::reduce_scatter;
}

/// Place of a rank in the group of a communicator.
struct GroupPlace {
  int rank = 0;
  int ranks = 1;
};

/// Returns the longer slice of a call: x elements.
Slice full_slice(CollectiveCall const& call);

/// Returns the call of one verb over the slice `full`, x elements, in place: a rank's own part of it is read
/// or assigned where the verb has parts, and `root_or_peer` is 0 for a broadcast. Throws as check_call().
CollectiveCall in_place(model::Verb verb, Slice full, GroupPlace place);

/// Throws std::invalid_argument for a call that this rank cannot make: x is not divisible by n, slices that
/// do not fit the verb, a root or a peer that is not in the group.
void check_call(CollectiveCall const& call, GroupPlace place);

/// Throws std::invalid_argument for a call that cannot be one of several that are issued together: as
/// check_call(), and for verbs other than send and receive.
void check_grouped(CollectiveCall const& call, GroupPlace place);

/// Elements of the full size x, by verb.
class ElementsByVerb {
 public:
  std::int64_t& operator[](model::Verb verb) { return elements_[static_cast<std::size_t>(verb)]; }
  std::int64_t operator[](model::Verb verb) const { return elements_[static_cast<std::size_t>(verb)]; }
  ElementsByVerb& operator+=(ElementsByVerb const& more) {
    for (std::size_t verb = 0; verb < elements_.size(); ++verb) elements_[verb] += more.elements_[verb];
    return *this;
  }

 private:
  std::array<std::int64_t, 6> elements_{};
};

}  // namespace ddproxy
