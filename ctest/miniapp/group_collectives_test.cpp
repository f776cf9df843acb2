// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>

#include "ctest/miniapp/late_staging.hpp"
#include "ctest/miniapp/passing_lane.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/verify_collective.hpp"
#include "miniapp/measure/step/group_lane.hpp"
#include "miniapp/measure/step/step_groups.hpp"

// Tests `ddproxy collectives --group 2`, with and without --strided, on four ranks: each element of each
// group is checked.
namespace ddproxy {
namespace {

using model::Verb;
constexpr auto verbs = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather, Verb::broadcast,
                        Verb::send};
constexpr std::size_t elements = 12000, piece = 1000;

/// Passes its calls to another lane. After they have completed, adds 1 to one element if `spoils` is true.
class SpoilingLane : public PassingLane {
 public:
  SpoilingLane(std::unique_ptr<CommunicationLane> lane, std::span<float> arena, bool spoils)
      : PassingLane(std::move(lane)), arena_(arena), spoils_(spoils) {}
  void start(CollectiveCall const& call, Completion ready) override {
    const Slice result = call.assigned.count > 0 ? call.assigned : call.read;
    last_ = result.end() - 1;
    lane_->start(call, ready);
  }
  void wait_all() override {
    lane_->wait_all();
    if (spoils_) arena_[last_] += 1;
  }

 private:
  std::span<float> arena_;
  bool spoils_;
  std::size_t last_ = 0;
};

class GroupCollectives : public testing::Test {
 protected:
  GroupCollectives() : config(tiny_config()) { config.piece_mib = 0.001; }
  RankContext context(int group, bool strided = false) {
    RankContext made = context_of(config);
    use_group_lane(made, group, strided);
    return made;
  }
  static std::int64_t wrong(RankContext& context, Verb verb) {
    return verify_collective(context, in_place(verb, {0, elements}, context.place())).wrong;
  }
  static void expect_right(RankContext& context) {
    for (const auto verb : verbs) EXPECT_EQ(wrong(context, verb), 0) << static_cast<int>(verb);
  }
  Config config;
};

TEST_F(GroupCollectives, HaveThePlacesOfAStepWithGroups) {
  const RankContext two = context(2);
  EXPECT_EQ(two.place().rank, test_runtime->rank() % 2);
  EXPECT_EQ(two.place().ranks, 2);
  EXPECT_EQ(two.place().group, test_runtime->rank() / 2);
  EXPECT_EQ(two.grouping().ranks, 2);
  EXPECT_EQ(two.grouping().groups, 2);
  EXPECT_EQ(unit_groups(4, 2).groups, (std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}}));
}

TEST_F(GroupCollectives, HaveThePlacesOfReplicasIfStrided) {
  RankContext two = context(2, true);
  EXPECT_EQ(two.place().rank, test_runtime->rank() / 2);
  EXPECT_EQ(two.place().group, test_runtime->rank() % 2);
  EXPECT_EQ(two.grouping().stride, 2);
  EXPECT_EQ(replica_groups(4, 2).groups, (std::vector<std::vector<std::size_t>>{{0, 2}, {1, 3}}));
  EXPECT_EQ(replica_groups(6, 2).groups, (std::vector<std::vector<std::size_t>>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(replica_groups(4, 4).groups, (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}}));
  expect_right(two);
}

TEST_F(GroupCollectives, SeeConsecutiveRanksInsteadOfStridedRanks) {
  MPI_Comm neighbours = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, test_runtime->rank() / 2, 0, &neighbours));
  RankContext two = context(2, true);
  two.allreduce = make_allreduce(config, two.choice, neighbours, two.memory);
  EXPECT_GT(wrong(two, Verb::all_reduce), 0);
  MPI_Comm_free(&neighbours);
}

TEST_F(GroupCollectives, FindNothingWrongOnMpi) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
    for (const auto progress : {Progress::thread, Progress::poll, Progress::none}) {
      config.wire = wire;
      config.progress = progress;
      RankContext two = context(2);
      expect_right(two);
    }
}

TEST_F(GroupCollectives, FindNothingWrongIfStaged) {
  RankContext two = context(2);
  const StepGroups groups({{unit_groups(4, 2)}, {}}, *test_runtime, false);
  auto staging = std::make_unique<LateStaging>(two.arena.data(), piece);
  auto inner = std::make_unique<MpiEngine>(groups.communicator(model::CommunicatorId{0}), staging->memory(),
                                           piece, 60);
  two.allreduce = std::make_unique<PolledLane>(
      std::make_unique<StagedEngine>(std::move(staging), std::move(inner), piece, two.place(), 60), true);
  expect_right(two);
}

TEST_F(GroupCollectives, SeeOneWrongElementOfOneGroup) {
  for (const auto verb : verbs)
    for (int spoiled = 0; spoiled < test_runtime->ranks(); ++spoiled) {
      RankContext two = context(2);
      two.allreduce = std::make_unique<SpoilingLane>(std::move(two.allreduce), two.arena,
                                                     test_runtime->rank() == spoiled);
      EXPECT_EQ(wrong(two, verb), 1) << static_cast<int>(verb) << " " << spoiled;
    }
}

/// In the groups {0, 3} and {2, 1} each rank has the same place as in {0, 1} and {2, 3}, but another partner.
TEST_F(GroupCollectives, SeeARankOfAnotherGroup) {
  const int rank = test_runtime->rank();
  MPI_Comm other = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == 3 ? 0 : 1, rank % 2, &other));
  for (const auto verb : verbs) {
    RankContext two = context(2);
    two.allreduce = make_allreduce(config, two.choice, other, two.memory);
    EXPECT_GT(wrong(two, verb), 0) << static_cast<int>(verb);
  }
  MPI_Comm_free(&other);
}

TEST_F(GroupCollectives, AreMeasuredAtEachSize) {
  RankContext two = context(2);
  for (auto const& row : measure_collectives(two, {Verb::reduce_scatter, Verb::all_gather}, {4800, 48000})) {
    EXPECT_EQ(row.wrong, 0);
    EXPECT_GE(row.seconds.size(), 4U);
  }
}

}  // namespace
}  // namespace ddproxy
