// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/miniapp/verb_checks.hpp"

#include <cmath>
#include <stdexcept>

namespace ddproxy {
namespace {

using model::Verb;

/// Returns the value of element `i` after an in-place collective over group.full().
double expected(Verb verb, Group const& group, std::size_t i) {
  const double own = verb_value(group.world_rank(), i);
  if (i < verb_offset || i >= group.full().end()) return own;
  const int owner = static_cast<int>((i - verb_offset) / verb_part);
  switch (verb) {
    case Verb::all_reduce:
      return average(group, i);
    case Verb::reduce_scatter:
      return owner == group.place.rank ? average(group, i) : own;
    case Verb::all_gather:
      return verb_value(group.first + owner, i);
    case Verb::broadcast:
      return verb_value(group.first, i);
    default:
      throw std::logic_error("no such collective");
  }
}

// A NaN is not near anything.
bool is_near(double value, double due) {
  return std::abs(value - due) <= 1e-5 * std::abs(due);
}

}  // namespace

Group::Group(int size) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (size == 0) size = ranks;
  first = rank / size * size;
  MPI_Comm_split(MPI_COMM_WORLD, first, rank, &communicator);
  MPI_Comm_rank(communicator, &place.rank);
  MPI_Comm_size(communicator, &place.ranks);
}

float verb_value(int rank, std::size_t element) {
  return static_cast<float>(1 + rank + 2 * (element % 7));
}

std::vector<float> numbers(Group const& group) {
  std::vector<float> memory(group.elsewhere().end());
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = verb_value(group.world_rank(), i);
  return memory;
}

double average(Group const& group, std::size_t element) {
  double sum = 0;
  for (int rank = 0; rank < group.place.ranks; ++rank) sum += verb_value(group.first + rank, element);
  return sum / group.place.ranks;
}

int wrong_elements(Verb verb, Group const& group, std::vector<float> const& memory) {
  int wrong = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) wrong += !is_near(memory[i], expected(verb, group, i));
  return wrong;
}

int wrong_part(Group const& group, std::vector<float> const& memory) {
  return wrong_sum(group, memory, std::vector<float>(memory.size()), 1);
}

int wrong_sum(Group const& group, std::vector<float> const& memory, std::vector<float> const& before,
              int times) {
  int wrong = 0;
  for (std::size_t i = 0; i < verb_part; ++i) {
    const std::size_t at = group.elsewhere().offset + i;
    wrong += !is_near(memory[at], before[at] + times * average(group, group.own_part() + i));
  }
  return wrong;
}

int wrong_transfer(Group const& group, std::vector<float> const& memory, int peer) {
  int wrong = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool arrived = i >= group.full().offset && i < group.full().end();
    wrong += memory[i] != verb_value(group.first + (arrived ? peer : group.place.rank), i);
  }
  return wrong;
}

std::vector<float> two_messages(Group const& group) {
  std::vector<float> memory(2 * long_message);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = verb_value(group.world_rank(), i);
  return memory;
}

int wrong_messages(Group const& group, std::vector<float> const& memory, int from) {
  int wrong = 0;
  for (std::size_t i = 0; i < long_message; ++i) {
    wrong += memory[i] != verb_value(group.world_rank(), i);
    wrong += memory[long_message + i] != verb_value(group.first + from, i);
  }
  return wrong;
}

CollectiveCall as_in_a_step(CollectiveCall call) {
  for (Slice* slice : {&call.read, &call.assigned})
    if (slice->count == 0) *slice = none;
  return call;
}

void carry_out(CommunicationLane& lane, CollectiveCall const& call) {
  lane.begin(1);
  lane.start(call, {Clock::now()});
  lane.wait_all();
}

}  // namespace ddproxy
