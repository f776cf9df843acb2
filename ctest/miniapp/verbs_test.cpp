// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ctest/miniapp/late_staging.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/errors/errors.hpp"

// Checks every element of every verb: over MPI and over staging memory, with blocking and nonblocking calls,
// in fp32 and bf16, in one piece and in many, on all ranks and on groups of two.
namespace ddproxy {
namespace {

using model::Verb;

constexpr std::size_t offset = 5, part = 36, spare = 7;

// Returns a small integer. Sums of these integers are exact even in bf16.
float value(int rank, std::size_t element) {
  return static_cast<float>(1 + rank + 2 * (element % 7));
}

/// The ranks of a communicator. They are consecutive ranks of the world.
struct Group {
  MPI_Comm communicator = MPI_COMM_WORLD;
  GroupPlace place;
  int first = 0;

  explicit Group(int size = 0) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (size == 0) size = ranks;
    first = rank / size * size;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &communicator);
    MPI_Comm_rank(communicator, &place.rank);
    MPI_Comm_size(communicator, &place.ranks);
  }
  ~Group() { MPI_Comm_free(&communicator); }
  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;

  Slice full() const { return {offset, part * static_cast<std::size_t>(place.ranks)}; }
  int world_rank() const { return first + place.rank; }
};

struct Way {
  bool staged, blocking;
  WireFormat wire;
  std::size_t piece;
};

std::unique_ptr<CollectiveEngine> make_engine(Way const& way, Group const& group, float* memory) {
  const auto mpi = [&](float* on) {
    return std::make_unique<MpiEngine>(group.communicator, on, way.piece, 60, way.wire,
                                       CallTable(way.blocking));
  };
  if (!way.staged) return mpi(memory);
  auto staging = std::make_unique<LateStaging>(memory, way.piece);
  auto inner = mpi(staging->memory());
  return std::make_unique<StagedEngine>(std::move(staging), std::move(inner), way.piece, group.place, 60);
}

/// Returns the memory of a rank before a collective: the rank's own numbers everywhere.
std::vector<float> numbers(Group const& group) {
  std::vector<float> memory(offset + group.full().count + spare + part);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = value(group.world_rank(), i);
  return memory;
}

double average(Group const& group, std::size_t element) {
  double sum = 0;
  for (int rank = 0; rank < group.place.ranks; ++rank) sum += value(group.first + rank, element);
  return sum / group.place.ranks;
}

/// Returns the value of element `i` after an in-place collective over group.full().
double expected(Verb verb, Group const& group, std::size_t i) {
  const double own = value(group.world_rank(), i);
  if (i < offset || i >= group.full().end()) return own;
  const int owner = static_cast<int>((i - offset) / part);
  switch (verb) {
    case Verb::all_reduce:
      return average(group, i);
    case Verb::reduce_scatter:
      return owner == group.place.rank ? average(group, i) : own;
    case Verb::all_gather:
      return value(group.first + owner, i);
    case Verb::broadcast:
      return value(group.first, i);
    default:
      throw std::logic_error("no such collective");
  }
}

int wrong_elements(Verb verb, Group const& group, std::vector<float> const& memory) {
  int wrong = 0;
  for (std::size_t i = 0; i < memory.size(); ++i)
    wrong += !(std::abs(memory[i] - expected(verb, group, i)) <= 1e-5 * expected(verb, group, i));
  return wrong;
}

void carry_out(CommunicationLane& lane, CollectiveCall const& call) {
  lane.begin(1);
  lane.start(call, {Clock::now()});
  lane.wait_all();
}

const std::vector<Way> ways = [] {
  std::vector<Way> all;
  for (const bool staged : {false, true})
    for (const bool blocking : {false, true})
      for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
        for (const std::size_t piece : {std::size_t{8}, std::size_t{1000}})
          all.push_back({staged, blocking, wire, piece});
  return all;
}();

constexpr Verb collectives[] = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather, Verb::broadcast};

void check_all(Group const& group) {
  for (auto const& way : ways)
    for (const Verb verb : collectives) {
      auto memory = numbers(group);
      PolledLane lane(make_engine(way, group, memory.data()), true);
      carry_out(lane, in_place(verb, group.full(), group.place));
      EXPECT_EQ(wrong_elements(verb, group, memory), 0)
          << static_cast<int>(verb) << ", piece " << way.piece << ", " << lane.description();
      EXPECT_EQ(lane.elements_handed_over()[verb], static_cast<std::int64_t>(group.full().count));
    }
}

TEST(Verbs, AreRightElementByElement) {
  check_all(Group());
}

TEST(Verbs, AreRightOnGroupsOfTwo) {
  if (test_runtime->ranks() < 4) GTEST_SKIP() << "needs four ranks";
  check_all(Group(2));
}

TEST(Verbs, AThreadDrivesThemToo) {
  const Group group;
  for (const Verb verb : collectives) {
    auto memory = numbers(group);
    ThreadedLane lane(make_engine({false, true, WireFormat::fp32, 8}, group, memory.data()));
    carry_out(lane, in_place(verb, group.full(), group.place));
    EXPECT_EQ(wrong_elements(verb, group, memory), 0) << static_cast<int>(verb);
  }
}

TEST(Verbs, PartsMayLieElsewhere) {
  const Group group;
  const Slice elsewhere{group.full().end() + spare, part};
  for (auto const& way : ways) {
    auto memory = numbers(group);
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, {Verb::reduce_scatter, group.full(), elsewhere});
    const std::size_t own = offset + part * static_cast<std::size_t>(group.place.rank);
    for (std::size_t i = 0; i < part; ++i)
      ASSERT_NEAR(memory[elsewhere.offset + i], average(group, own + i), 1e-5 * average(group, own + i)) << i;
  }
}

TEST(Verbs, ASendArrivesAtItsPeer) {
  const Group group;
  if (group.place.ranks < 2) GTEST_SKIP() << "needs two ranks";
  const bool sends = group.place.rank % 2 == 0;
  const int peer = group.place.rank + (sends ? 1 : -1);
  const Slice slice = group.full(), none{0, 0};
  for (auto const& way : ways) {
    auto memory = numbers(group);
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, sends ? CollectiveCall{Verb::send, slice, none, peer}
                          : CollectiveCall{Verb::receive, none, slice, peer});
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const bool arrived = !sends && i >= slice.offset && i < slice.end();
      ASSERT_EQ(memory[i], value(arrived ? peer : group.place.rank, i)) << i;
    }
  }
}

// Returns the ways that can carry out groups and additions. Staging memory can do neither.
std::vector<Way> direct_ways(std::size_t elements) {
  std::vector<Way> all;
  for (const bool blocking : {false, true})
    for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
      for (const std::size_t piece : {elements / 5, 2 * elements})
        all.push_back({false, blocking, wire, piece});
  return all;
}

// The elements of a message that is longer than what MPI sends before the peer receives. The sent numbers
// begin at element 0, and the received numbers follow them.
constexpr std::size_t long_message = 30000;

std::vector<float> two_messages(Group const& group) {
  std::vector<float> memory(2 * long_message);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = value(group.world_rank(), i);
  return memory;
}

int wrong_messages(Group const& group, std::vector<float> const& memory, int from) {
  int wrong = 0;
  for (std::size_t i = 0; i < long_message; ++i) {
    wrong += memory[i] != value(group.world_rank(), i);
    wrong += memory[long_message + i] != value(group.first + from, i);
  }
  return wrong;
}

const Slice sent{0, long_message}, received{long_message, long_message}, none{0, 0};

// Each rank of a ring sends to the next one and receives from the previous one. Without a group this would
// deadlock.
TEST(Verbs, CrossingSendsOfAGroupArrive) {
  const Group group;
  const int n = group.place.ranks, right = (group.place.rank + 1) % n, left = (group.place.rank + n - 1) % n;
  if (n < 2) GTEST_SKIP() << "needs two ranks";
  const CollectiveCall calls[] = {{Verb::send, sent, none, right}, {Verb::receive, none, received, left}};
  for (auto const& way : direct_ways(long_message))
    for (const bool thread : {false, true}) {
      auto memory = two_messages(group);
      std::unique_ptr<CommunicationLane> lane;
      if (thread)
        lane = std::make_unique<ThreadedLane>(make_engine(way, group, memory.data()));
      else
        lane = std::make_unique<PolledLane>(make_engine(way, group, memory.data()), true);
      lane->make_room(2);
      lane->begin(2);
      lane->start_group(calls, {Clock::now()});
      lane->wait_all();
      EXPECT_EQ(wrong_messages(group, memory, left), 0) << lane->description();
      ASSERT_EQ(lane->finished().size(), 2U);
      EXPECT_EQ(lane->finished()[1].call, calls[1]);
      EXPECT_EQ(lane->finished()[0].end, lane->finished()[1].end);
      EXPECT_EQ(lane->elements_handed_over()[Verb::send], static_cast<std::int64_t>(long_message));
    }
}

// One rank issues a send and a receive as a group. Its peer issues them one by one, as the last ranks of a
// pipeline do.
TEST(Verbs, AGroupMeetsSingleCalls) {
  const Group group;
  if (group.place.ranks < 2) GTEST_SKIP() << "needs two ranks";
  const bool even = group.place.rank % 2 == 0;
  const int peer = group.place.rank + (even ? 1 : -1);
  const CollectiveCall send{Verb::send, sent, none, peer}, receive{Verb::receive, none, received, peer};
  for (auto const& way : direct_ways(long_message)) {
    auto memory = two_messages(group);
    ThreadedLane lane(make_engine(way, group, memory.data()));
    lane.begin(2);
    if (even) {
      const CollectiveCall both[] = {send, receive};
      lane.start_group(both, {Clock::now()});
    } else {
      lane.start(receive, {Clock::now()});
      lane.start(send, {Clock::now()});
    }
    lane.wait_all();
    EXPECT_EQ(wrong_messages(group, memory, peer), 0) << lane.description();
  }
}

// The gradient shard already contains the gradients of a micro-batch.
TEST(Verbs, AReduceScatterAddsToWhatIsThere) {
  const Group group;
  const Slice shard{group.full().end() + spare, part};
  CollectiveCall call{Verb::reduce_scatter, group.full(), shard};
  call.adds = true;
  for (auto const& way : direct_ways(part)) {
    auto memory = numbers(group);
    const auto before = memory;
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, call);
    carry_out(lane, call);
    const std::size_t own = offset + part * static_cast<std::size_t>(group.place.rank);
    for (std::size_t i = 0; i < part; ++i) {
      const double due = before[shard.offset + i] + 2 * average(group, own + i);
      ASSERT_NEAR(memory[shard.offset + i], due, 1e-5 * due) << i << ", " << lane.description();
    }
    for (std::size_t i = 0; i < shard.offset; ++i) ASSERT_EQ(memory[i], before[i]) << i;
  }
}

// Tests the check itself: it must find each of these faults.
TEST(Verbs, PlantedFaultsAreSeen) {
  const Group group;
  if (group.place.ranks < 2) GTEST_SKIP() << "needs two ranks";
  const Way way{false, false, WireFormat::fp32, 1000};
  const auto after = [&](CollectiveCall const& call, Verb as, float factor = 1) {
    auto memory = numbers(group);
    for (float& each : memory) each *= group.place.rank == 1 ? factor : 1;
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, call);
    return wrong_elements(as, group, memory);
  };
  const auto full = group.full();
  EXPECT_GT(after(in_place(Verb::all_reduce, full, group.place), Verb::all_reduce, 2), 0);  // rank 1 twice
  CollectiveCall sum = all_reduce(full);
  sum.reduction = model::Reduction::sum;
  EXPECT_GT(after(sum, Verb::all_reduce), 0);
  const bool root = group.place.rank == 1;
  const CollectiveCall wrong_root{Verb::broadcast, root ? full : Slice{0, 0}, root ? Slice{0, 0} : full, 1};
  EXPECT_GT(after(wrong_root, Verb::broadcast), 0);
  const Slice shifted{full.offset + 1, full.count};
  EXPECT_GT(after(in_place(Verb::all_gather, shifted, group.place), Verb::all_gather), 0);
}

TEST(Verbs, RefusesWhatARankCannotDo) {
  const Group group;
  std::vector<float> memory(1000);
  const Way way{false, false, WireFormat::fp32, 1000};
  const auto refuses = [&](CollectiveCall const& call) {
    PolledLane lane(make_engine(way, group, memory.data()), true);
    EXPECT_THROW(carry_out(lane, call), std::invalid_argument);
  };
  const auto n = static_cast<std::size_t>(group.place.ranks);
  if (n > 1) {
    refuses({Verb::reduce_scatter, {0, 2 * n + 1}, {2 * n + 1, 2}});
    refuses({Verb::all_gather, {500, 2}, {0, 2 * n + 1}});
    refuses({Verb::reduce_scatter, {0, 2 * n}, {1, 2}});  // partly overlaps the operand
  }
  CollectiveCall adds{Verb::reduce_scatter, {0, 2 * n}, {2 * n, 2}};
  adds.adds = true;
  adds.assigned.offset = 2 * n - 1;
  refuses(adds);  // the result overlaps the operand
  adds.verb = Verb::all_reduce;
  refuses(adds);
  refuses({Verb::broadcast, {0, 4}, {0, 0}, group.place.ranks});
  refuses({Verb::send, {0, 4}, {0, 0}, group.place.rank});
}

TEST(Verbs, RefusesGroupsAndAdditionsThatItCannotCarryOut) {
  const Group group;
  std::vector<float> memory(1000);
  const CollectiveCall two[] = {all_reduce({0, 4}), all_reduce({4, 4})};
  for (const bool staged : {false, true}) {
    PolledLane lane(make_engine({staged, false, WireFormat::fp32, 1000}, group, memory.data()), true);
    lane.begin(2);
    EXPECT_THROW(lane.start_group(two, {Clock::now()}), std::invalid_argument);
  }
  const auto n = static_cast<std::size_t>(group.place.ranks);
  CollectiveCall adds{Verb::reduce_scatter, {0, 2 * n}, {2 * n, 2}};
  adds.adds = true;
  PolledLane lane(make_engine({true, false, WireFormat::fp32, 1000}, group, memory.data()), true);
  EXPECT_THROW(carry_out(lane, adds), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy
