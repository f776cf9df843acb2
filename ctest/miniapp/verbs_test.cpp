// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "ctest/miniapp/late_staging.hpp"
#include "ctest/miniapp/verb_checks.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/errors/errors.hpp"

// Checks every element of every verb on host memory: over MPI directly and through staging memory, with
// blocking and nonblocking MPI calls, in fp32 and bf16, in one piece and in many, on all ranks and on groups
// of two.
namespace ddproxy {
namespace {

using model::Verb;

struct Way {
  bool staged, blocking;
  WireFormat wire;
  std::size_t piece;
};

std::unique_ptr<CollectiveEngine> make_engine(Way const& way, Group const& group, float* memory) {
  const auto mpi = [&](float* on) {
    return std::make_unique<MpiEngine>(group.communicator, on, way.piece, 60, way.wire,
                                       MpiCallTable(way.blocking));
  };
  if (!way.staged) return mpi(memory);
  auto staging = std::make_unique<LateStaging>(memory, way.piece);
  auto inner = mpi(staging->memory());
  return std::make_unique<StagedEngine>(std::move(staging), std::move(inner), way.piece, group.place, 60);
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

void check_all(Group const& group) {
  for (auto const& way : ways)
    for (const Verb verb : group_verbs) {
      auto memory = numbers(group);
      PolledLane lane(make_engine(way, group, memory.data()), true);
      carry_out(lane, as_in_a_step(in_place(verb, group.full(), group.place)));
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

TEST(Verbs, AreRightOnAThreadedLane) {
  const Group group;
  for (const Verb verb : group_verbs) {
    auto memory = numbers(group);
    ThreadedLane lane(make_engine({false, true, WireFormat::fp32, 8}, group, memory.data()));
    carry_out(lane, in_place(verb, group.full(), group.place));
    EXPECT_EQ(wrong_elements(verb, group, memory), 0) << static_cast<int>(verb);
  }
}

TEST(Verbs, ReduceScatterWritesToAnotherPlace) {
  const Group group;
  for (auto const& way : ways) {
    auto memory = numbers(group);
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, {Verb::reduce_scatter, group.full(), group.elsewhere()});
    EXPECT_EQ(wrong_part(group, memory), 0) << lane.description();
  }
}

TEST(Verbs, ASendArrivesAtItsPeer) {
  const Group group;
  if (group.place.ranks < 2) GTEST_SKIP() << "needs two ranks";
  const bool sends = group.place.rank % 2 == 0;
  const int peer = group.place.rank + (sends ? 1 : -1);
  for (auto const& way : ways) {
    auto memory = numbers(group);
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, sends ? CollectiveCall{Verb::send, group.full(), none, peer}
                          : CollectiveCall{Verb::receive, none, group.full(), peer});
    EXPECT_EQ(wrong_transfer(group, memory, sends ? group.place.rank : peer), 0) << lane.description();
  }
}

// Returns the ways without staging memory. They can issue a send and a receive as a group; the ways over
// staging memory cannot. A piece has `elements` / 5 elements, or 2 `elements`.
std::vector<Way> direct_ways(std::size_t elements) {
  std::vector<Way> all;
  for (const bool blocking : {false, true})
    for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
      for (const std::size_t piece : {elements / 5, 2 * elements})
        all.push_back({false, blocking, wire, piece});
  return all;
}

// Each rank of a ring sends to the next one and receives from the previous one. If the two calls were not
// issued as a group, they would deadlock.
TEST(Verbs, GroupedSendsAroundARingArrive) {
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
TEST(Verbs, AGroupOnOneRankMatchesSingleCallsOnItsPeer) {
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
TEST(Verbs, ReduceScatterAddsToExistingNumbers) {
  const Group group;
  const Slice shard = group.elsewhere();
  CollectiveCall call{Verb::reduce_scatter, group.full(), shard};
  call.adds = true;
  auto all = direct_ways(verb_part);
  all.insert(all.end(), ways.begin(), ways.end());
  for (auto const& way : all) {
    auto memory = numbers(group);
    const auto before = memory;
    PolledLane lane(make_engine(way, group, memory.data()), true);
    carry_out(lane, call);
    carry_out(lane, call);
    EXPECT_EQ(wrong_sum(group, memory, before, 2), 0) << lane.description();
    for (std::size_t i = 0; i < shard.offset; ++i) ASSERT_EQ(memory[i], before[i]) << i;
  }
}

// Tests wrong_elements(), which must find each planted fault.
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
  // The numbers of rank 1 count twice.
  EXPECT_GT(after(in_place(Verb::all_reduce, full, group.place), Verb::all_reduce, 2), 0);
  CollectiveCall sum = all_reduce(full);
  sum.reduction = model::Reduction::sum;
  EXPECT_GT(after(sum, Verb::all_reduce), 0);
  const bool root = group.place.rank == 1;
  const CollectiveCall wrong_root{Verb::broadcast, root ? full : Slice{0, 0}, root ? Slice{0, 0} : full, 1};
  EXPECT_GT(after(wrong_root, Verb::broadcast), 0);
  const Slice shifted{full.offset + 1, full.count};
  EXPECT_GT(after(in_place(Verb::all_gather, shifted, group.place), Verb::all_gather), 0);
}

TEST(Verbs, RefuseInvalidCalls) {
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

TEST(Verbs, RefuseAGroupOfAllReduces) {
  const Group group;
  std::vector<float> memory(1000);
  const CollectiveCall two[] = {all_reduce({0, 4}), all_reduce({4, 4})};
  for (const bool staged : {false, true}) {
    PolledLane lane(make_engine({staged, false, WireFormat::fp32, 1000}, group, memory.data()), true);
    lane.begin(2);
    EXPECT_THROW(lane.start_group(two, {Clock::now()}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace ddproxy
