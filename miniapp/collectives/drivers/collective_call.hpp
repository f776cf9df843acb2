// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/compute/group_place.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// One rank's part in a collective over the n ranks of a group. A verb is the kind of a collective. Slices
/// are ranges of elements in the memory of the compute lane, which carries out this rank's operators
/// (miniapp/compute/compute_lane.hpp). The full size of a collective is x elements:
///   all_reduce      Reads x elements and assigns the same elements.
///   reduce_scatter  Reads x elements, and assigns the x/n elements of the result that belong to this rank's
///                   place in the group. `assigned` is this rank's part of `read`, or lies outside `read`.
///                   With `adds` the result is added to `assigned`, which then lies outside `read`.
///   all_gather      Reads x/n elements and assigns x elements, the parts in the order of the ranks.
///                   `read` is this rank's part of `assigned`, or lies outside `assigned`.
///   broadcast       The root reads x elements. The other ranks assign x elements.
///                   `root_or_peer` is the root's place in the group.
///   send, receive   A send reads x elements. A receive assigns x elements.
///                   `root_or_peer` is the other rank's place in the group.
/// A slice that the rank does not use has 0 elements.
struct CollectiveCall {
  model::Verb verb;
  Slice read;
  Slice assigned;
  int root_or_peer = 0;
  model::Reduction reduction = model::Reduction::average;  ///< used by all_reduce and reduce_scatter
  bool adds = false;  ///< reduce_scatter: adds the result instead of assigning it
  /// true: the elements are transferred in fp32, whatever the wire format of the lane is. For example, the
  /// norm of the gradients is reduced in fp32 on a lane that reduces gradients in bf16.
  bool exact = false;
  bool operator==(CollectiveCall const&) const = default;
};

/// Returns the all-reduce that replaces a slice by its average over all ranks.
constexpr CollectiveCall all_reduce(Slice slice) {
  return {model::Verb::all_reduce, slice, slice};
}

/// Returns whether a verb moves data from one rank to one other rank.
constexpr bool is_transfer(model::Verb verb) {
  return verb == model::Verb::send || verb == model::Verb::receive;
}

/// Returns whether each rank reads or assigns a part of x/n elements that belongs to its place.
constexpr bool has_parts(model::Verb verb) {
  return verb == model::Verb::reduce_scatter || verb == model::Verb::all_gather;
}

/// Returns whether a verb sums or averages over the ranks.
constexpr bool reduces(model::Verb verb) {
  return verb == model::Verb::all_reduce || verb == model::Verb::reduce_scatter;
}

/// Returns the longer slice of a collective call, which has x elements.
Slice full_slice(CollectiveCall const& call);

/// Returns whether a rank takes part in a collective call. A call without elements stands for no call:
/// in_place() returns one for a rank without a peer.
constexpr bool takes_part(CollectiveCall const& call) {
  return call.read.count > 0 || call.assigned.count > 0;
}

/// Returns a collective call that carries out `verb` in place on the slice `full`, which has x elements. If
/// the verb has parts, this rank reads or assigns its own part of the slice. For a broadcast the root is rank
/// 0. For a send the ranks form pairs: rank 0 sends to rank 1, rank 2 sends to rank 3, and so on. For a
/// receive the same pairs transfer in the other direction. If the number of ranks is odd, the last rank has
/// no peer, and its call has no elements. Throws as check_call() does.
CollectiveCall in_place(model::Verb verb, Slice full, GroupPlace place);

/// Throws std::invalid_argument for a collective call that this rank cannot make: n does not divide x
/// although the verb has parts (has_parts()), the slices do not fit the verb, the root or the peer is not in
/// the group, or the peer is the rank itself.
void check_call(CollectiveCall const& call, GroupPlace place);

/// Throws std::invalid_argument if the collective call is neither a send nor a receive. Only sends and
/// receives can be issued as one group, as between ncclGroupStart() and ncclGroupEnd(). Also throws as
/// check_call() does.
void check_grouped(CollectiveCall const& call, GroupPlace place);

/// A number of elements for each verb: the sum of the full sizes x of its collective calls.
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
