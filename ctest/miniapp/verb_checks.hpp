// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"

// Checks of every element of every verb, for tests of collectives on host memory (verbs_test.cpp) and on the
// memory of the kernels (verbs_device_test.cpp). Each rank starts with numbers() or two_messages(), carries
// out a collective, and counts the elements that are not what they have to be.
namespace ddproxy {

/// The full slice of a group of n ranks begins at element `verb_offset` and has n times `verb_part` elements.
/// `verb_spare` elements that no collective may touch lie behind it.
inline constexpr std::size_t verb_offset = 5, verb_part = 36, verb_spare = 7;
/// The verbs that all ranks of a group carry out together.
inline constexpr model::Verb group_verbs[] = {model::Verb::all_reduce, model::Verb::reduce_scatter,
                                              model::Verb::all_gather, model::Verb::broadcast};

/// The ranks of a communicator. They are consecutive ranks of the world.
struct Group {
  MPI_Comm communicator = MPI_COMM_NULL;
  GroupPlace place;
  int first = 0;  ///< the rank of the world that has place 0

  /// Makes the group of this rank. Each group has `size` ranks, except that the last group may have fewer.
  /// `size` 0 means all ranks. Collective.
  explicit Group(int size = 0);
  ~Group() { MPI_Comm_free(&communicator); }
  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;

  Slice full() const { return {verb_offset, verb_part * static_cast<std::size_t>(place.ranks)}; }
  /// Returns a slice of one part that lies behind full() and does not touch it.
  Slice elsewhere() const { return {full().end() + verb_spare, verb_part}; }
  /// Returns the first element of the part of full() that belongs to this rank.
  std::size_t own_part() const { return verb_offset + verb_part * static_cast<std::size_t>(place.rank); }
  int world_rank() const { return first + place.rank; }
};

/// Returns what a rank of the world has at an element before a collective: a small integer. The sums over up
/// to 13 ranks are exact even in bf16.
float verb_value(int rank, std::size_t element);
/// Returns the memory of this rank before a collective: its own numbers everywhere.
std::vector<float> numbers(Group const& group);
/// Returns the average of an element over the ranks of the group.
double average(Group const& group, std::size_t element);

/// Returns the number of elements that are wrong after an in-place collective over group.full().
int wrong_elements(model::Verb verb, Group const& group, std::vector<float> const& memory);
/// Returns the number of elements of group.elsewhere() that are not the average of this rank's part.
int wrong_part(Group const& group, std::vector<float> const& memory);
/// Returns the number of elements of group.elsewhere() that are not those of `before` plus `times` averages
/// of this rank's part.
int wrong_sum(Group const& group, std::vector<float> const& memory, std::vector<float> const& before,
              int times);
/// Returns the number of elements that are wrong after group.full() was received from the rank at place
/// `peer`. On the sender, `peer` is its own place.
int wrong_transfer(Group const& group, std::vector<float> const& memory, int peer);

/// Elements of a message that is so long that MPI does not send it before the peer receives. The sent numbers
/// begin at element 0, and the received ones follow them.
inline constexpr std::size_t long_message = 30000;
inline constexpr Slice sent{0, long_message}, received{long_message, long_message}, none{0, 0};
/// Returns the memory of this rank before it sends and receives a long message.
std::vector<float> two_messages(Group const& group);
/// Returns the number of elements that are wrong after `received` came from the rank at place `from`.
int wrong_messages(Group const& group, std::vector<float> const& memory, int from);

/// Returns the call as a step makes it: the slice that the rank does not use is {0, 0}.
CollectiveCall as_in_a_step(CollectiveCall call);
/// Carries out one call whose data are ready.
void carry_out(CommunicationLane& lane, CollectiveCall const& call);

}  // namespace ddproxy
