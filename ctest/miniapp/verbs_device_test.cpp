// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ctest/miniapp/nccl_here.hpp"
#include "ctest/miniapp/verb_checks.hpp"
#include "ctest/mpi_main.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/make_allreduce.hpp"

// Checks every element of every verb on the memory of the kernels, with the lanes that ddproxy itself makes:
// NCCL, and MPI. On a device, MPI goes through pinned memory. With one rank the data stay where they are, or
// move to another place on the same rank.
namespace ddproxy {
namespace {

using model::Verb;

struct Way {
  Backend backend;
  WireFormat wire;
  Progress progress = Progress::thread;
  std::size_t piece = 1000;  // elements
};

const std::vector<Way> mpi_ways = [] {
  std::vector<Way> all;
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
    for (const auto progress : {Progress::thread, Progress::poll})
      for (const std::size_t piece : {std::size_t{8}, std::size_t{1024}})
        all.push_back({Backend::mpi, wire, progress, piece});
  return all;
}();
const std::vector<Way> nccl_ways{{Backend::nccl, WireFormat::fp32}, {Backend::nccl, WireFormat::bf16}};

std::unique_ptr<CommunicationLane> make_lane(Way const& way, Group const& group,
                                             kernels::Floats const& memory) {
  Config config;
  config.backend = way.backend;
  config.wire = way.wire;
  config.progress = way.progress;
  config.buffers = Buffers::staged;
  config.piece_mib = static_cast<double>(way.piece * sizeof(float)) / (1 << 20);
  config.timeout_s = 60;
  const LaneGroup lane{group.communicator,
                       group.place,
                       {.of_call = memory.size(), .scattered = memory.size(), .added = verb_part}};
  return std::move(make_group_lanes(config, {}, {&lane, 1}, kernels::elements_of(memory)).front());
}

using HostNumbers = Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

void write(kernels::Floats const& memory, std::vector<float> numbers) {
  Kokkos::deep_copy(memory, HostNumbers(numbers.data(), numbers.size()));
}

std::vector<float> read(kernels::Floats const& memory) {
  std::vector<float> numbers(memory.size());
  Kokkos::deep_copy(HostNumbers(numbers.data(), numbers.size()), memory);
  return numbers;
}

/// Calls `check` with a lane of each way and its memory, which has `elements` elements.
template <class Check>
void on_each_way(std::vector<Way> const& ways, Group const& group, std::size_t elements, Check const& check) {
  for (auto const& way : ways) {
    const kernels::Floats memory("memory", elements);
    const auto lane = make_lane(way, group, memory);
    SCOPED_TRACE(lane->description() + ", pieces of " + std::to_string(way.piece));
    check(*lane, memory);
  }
}

void check_adding(std::vector<Way> const& ways, Group const& group) {
  const auto before = numbers(group);
  CollectiveCall call{Verb::reduce_scatter, group.full(), group.elsewhere()};
  call.adds = true;
  on_each_way(ways, group, before.size(), [&](CommunicationLane& lane, kernels::Floats const& memory) {
    write(memory, before);
    carry_out(lane, call);
    carry_out(lane, call);
    EXPECT_EQ(wrong_sum(group, read(memory), before, 2), 0);
  });
}

void check_all(std::vector<Way> const& ways, Group const& group) {
  const auto before = numbers(group);
  on_each_way(ways, group, before.size(), [&](CommunicationLane& lane, kernels::Floats const& memory) {
    for (const Verb verb : group_verbs) {
      write(memory, before);
      carry_out(lane, as_in_a_step(in_place(verb, group.full(), group.place)));
      EXPECT_EQ(wrong_elements(verb, group, read(memory)), 0) << static_cast<int>(verb);
      EXPECT_EQ(lane.elements_handed_over()[verb], static_cast<std::int64_t>(group.full().count));
    }
  });
}

void check_parts_elsewhere(std::vector<Way> const& ways, Group const& group) {
  const auto before = numbers(group);
  on_each_way(ways, group, before.size(), [&](CommunicationLane& lane, kernels::Floats const& memory) {
    write(memory, before);
    carry_out(lane, {Verb::reduce_scatter, group.full(), group.elsewhere()});
    EXPECT_EQ(wrong_part(group, read(memory)), 0);
  });
}

void check_transfer(std::vector<Way> const& ways, Group const& group) {
  const bool sends = group.place.rank % 2 == 0;
  const int peer = group.place.rank + (sends ? 1 : -1);
  const auto before = numbers(group);
  on_each_way(ways, group, before.size(), [&](CommunicationLane& lane, kernels::Floats const& memory) {
    write(memory, before);
    carry_out(lane, sends ? CollectiveCall{Verb::send, group.full(), none, peer}
                          : CollectiveCall{Verb::receive, none, group.full(), peer});
    EXPECT_EQ(wrong_transfer(group, read(memory), sends ? group.place.rank : peer), 0);
  });
}

struct VerbsOnDevice : testing::Test {};

struct NcclVerbs : testing::Test {
  void SetUp() override {
    if (const auto reason = why_no_nccl(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(VerbsOnDevice, MpiIsRightElementByElement) {
  check_all(mpi_ways, Group());
}

TEST_F(VerbsOnDevice, MpiIsRightOnHalfOfTheRanks) {
  if (test_runtime->ranks() < 2) GTEST_SKIP() << "one rank has no half";
  check_all(mpi_ways, Group(test_runtime->ranks() / 2));
}

TEST_F(VerbsOnDevice, MpiReduceScatterWritesToAnotherPlace) {
  check_parts_elsewhere(mpi_ways, Group());
}

TEST_F(VerbsOnDevice, MpiReduceScatterAddsToExistingNumbers) {
  check_adding(mpi_ways, Group());
}

TEST_F(VerbsOnDevice, MpiSendArrivesAtItsPeer) {
  if (test_runtime->ranks() < 2) GTEST_SKIP() << "needs two ranks";
  check_transfer(mpi_ways, Group());
}

TEST_F(NcclVerbs, AreRightElementByElement) {
  check_all(nccl_ways, Group());
}

TEST_F(NcclVerbs, AreRightOnHalfOfTheRanks) {
  if (test_runtime->ranks() < 2) GTEST_SKIP() << "one rank has no half";
  check_all(nccl_ways, Group(test_runtime->ranks() / 2));
}

TEST_F(NcclVerbs, ReduceScatterWritesToAnotherPlace) {
  check_parts_elsewhere(nccl_ways, Group());
}

TEST_F(NcclVerbs, ASendArrivesAtItsPeer) {
  if (test_runtime->ranks() < 2) GTEST_SKIP() << "needs two ranks";
  check_transfer(nccl_ways, Group());
}

// Each rank of a ring sends to the next one and receives from the previous one. If the two calls were not
// issued as a group, they would deadlock.
TEST_F(NcclVerbs, GroupedSendsAroundARingArrive) {
  const Group group;
  const int n = group.place.ranks, right = (group.place.rank + 1) % n, left = (group.place.rank + n - 1) % n;
  if (n < 2) GTEST_SKIP() << "needs two ranks";
  const CollectiveCall calls[] = {{Verb::send, sent, none, right}, {Verb::receive, none, received, left}};
  const auto before = two_messages(group);
  on_each_way({nccl_ways.front()}, group, before.size(),
              [&](CommunicationLane& lane, kernels::Floats const& memory) {
                write(memory, before);
                lane.make_room(2);
                lane.begin(2);
                lane.start_group(calls, {Clock::now()});
                lane.wait_all();
                EXPECT_EQ(wrong_messages(group, read(memory), left), 0);
                EXPECT_EQ(lane.elements_handed_over()[Verb::send], static_cast<std::int64_t>(long_message));
              });
}

TEST_F(NcclVerbs, ReduceScatterAddsToExistingNumbers) {
  check_adding(nccl_ways, Group());
}

TEST_F(NcclVerbs, RefuseAGroupOfAllReduces) {
  const Group group;
  on_each_way({nccl_ways.back()}, group, numbers(group).size(),
              [&](CommunicationLane& lane, kernels::Floats const&) {
                const CollectiveCall two[] = {all_reduce({0, 4}), all_reduce({4, 4})};
                lane.begin(2);
                EXPECT_THROW(lane.start_group(two, {Clock::now()}), std::invalid_argument);
              });
}

}  // namespace
}  // namespace ddproxy
