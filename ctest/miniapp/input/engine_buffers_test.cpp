// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/engine_buffers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/options/scattered_elements.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {
namespace {

constexpr int ranks = 4;

/// Reads the input of a step of a tiny model on four ranks. Returns its lanes and its memory need in bytes.
class LanesOfStep : public testing::Test {
 protected:
  // `sections` follows the section [allreduce] in the input. It may begin with keys of [allreduce].
  void read(std::string const& sections) {
    config_ = read_config(folder_.file(
        "input.toml", "[model]\npreset = \"tiny\"\n[allreduce]\nbackend = \"mpi\"\n" + sections));
    workload_ = make_workload(config_);
    step_ = whole_step_of(config_, step_to_run(config_, workload_), ranks);
  }
  model::StepGraph const& graph() const { return step_.classes.front().graph; }
  std::vector<LaneCalls> lanes() const { return lane_calls(step_, graph()); }
  double need(Backend backend) {
    config_.backend = backend;
    const auto places = step_places(config_, workload_, graph());
    const auto all = step_lanes(config_, workload_, places, step_, graph());
    const auto arrays = backend == Backend::nccl ? MemoryKind::device : MemoryKind::host;
    const MemoryNeed need = memory_need(config_, step_buffers(config_, 0, all, 1, arrays));
    return need.device.value_or(need.host);
  }
  // Returns the bytes of the tokens of a micro-batch.
  double token_bytes() const {
    return static_cast<double>(token_elements(config_.tokens)) * gradient_element_bytes;
  }
  std::size_t gradients() const {
    return static_cast<std::size_t>(workload_.bytes()) / gradient_element_bytes;
  }

 private:
  Folder folder_;
  Config config_;
  Workload workload_;
  model::RankGraphs step_;
};

TEST_F(LanesOfStep, WithoutShardingAreOneLaneThatScattersNothing) {
  read("");
  ASSERT_EQ(lanes().size(), 1U);
  EXPECT_EQ(lanes()[0].ranks, ranks);
  EXPECT_LE(lanes()[0].most.of_call, gradients());
  EXPECT_GT(lanes()[0].most.of_call, 0U);
  EXPECT_EQ(lanes()[0].most.scattered, 0U);
}

// Each micro-batch adds the reduced gradients of a unit to the shard of the rank, a quarter of the unit.
TEST_F(LanesOfStep, WithFsdpAddTheShardOfTheLargestUnit) {
  read("[step]\nbatch = 2\naccumulation = 2\n[shard]\nstage = \"fsdp\"\nunit = \"whole\"\n");
  ASSERT_EQ(lanes().size(), 1U);
  const MostElements most = lanes()[0].most;
  EXPECT_GE(most.of_call, gradients());
  EXPECT_LT(most.of_call, gradients() + 64 * ranks);  // padding
  EXPECT_EQ(most.scattered, most.of_call);
  EXPECT_EQ(most.added, most.of_call / ranks);
}

TEST_F(LanesOfStep, WithHybridShardingAreTwoLanesAndOnlyOneScatters) {
  read("[shard]\nstage = \"fsdp\"\ngroup = 2\n");
  ASSERT_EQ(lanes().size(), 2U);
  for (auto const& lane : lanes()) EXPECT_EQ(lane.ranks, 2);
  EXPECT_EQ((lanes()[0].most.scattered > 0) + (lanes()[1].most.scattered > 0), 1) << "only one scatters";
}

// NCCL can only assign. So if a reduce-scatter adds its result to memory, NCCL assigns the result to a buffer
// of the lane first. The MPI engine writes the result of every reduce-scatter to its own buffer.
TEST_F(LanesOfStep, NeedTheBuffersThatTheirEnginesAllocate) {
  read("piece_mib = 0.0625\n[shard]\nstage = \"fsdp\"\n");
  const double plain = need(Backend::nccl), host = need(Backend::mpi);
  read("piece_mib = 0.0625\n[step]\nbatch = 2\naccumulation = 2\n[shard]\nstage = \"fsdp\"\n");
  const auto buffers = buffers_of_nccl(WireFormat::fp32, lanes()[0].most);
  EXPECT_EQ(buffers.rounded, 0U);
  EXPECT_EQ(need(Backend::nccl) - plain,
            static_cast<double>(buffers.results) * gradient_element_bytes + token_bytes());
  EXPECT_EQ(need(Backend::mpi), host + token_bytes());  // the second micro-batch has tokens of its own
  read("piece_mib = 0.0625\n");
  EXPECT_EQ(host - need(Backend::mpi), 65536) << "a piece of a reduce-scatter";
}

/// Predicts the memory of `ddproxy collectives` with a tiny model.
class CollectivesCommand : public testing::Test {
 protected:
  CollectivesCommand() {
    options.command = "collectives";
    options.verbs = {model::Verb::all_gather, model::Verb::reduce_scatter};
  }
  // Returns by how many bytes the reduce-scatters increase the memory need of a rank, with pieces of 64 KiB.
  // `more` has more keys of [allreduce].
  double added(int ranks = 2, std::string const& more = "") {
    const Config config = read_config(folder_.file(
        "input.toml",
        "[model]\npreset = \"tiny\"\n[allreduce]\nbackend = \"mpi\"\npiece_mib = 0.0625\n" + more));
    const Workload workload = make_workload(config);
    const std::size_t scattered = scattered_elements(options, config, workload, ranks);
    const auto need = [&](std::size_t elements) {
      return memory_need(config, pass_buffers(config, workload, 1, ranks, elements, MemoryKind::host)).host;
    };
    return need(scattered) - need(0);
  }
  Options options;

 private:
  Folder folder_;
};

TEST_F(CollectivesCommand, NeedsAPieceForALargeReduceScatter) {
  EXPECT_EQ(added(), 65536) << "the default sizes go up to all gradients";
  options.sizes_mib = {0.01, 0.25};
  EXPECT_EQ(added(), 65536);
  EXPECT_EQ(added(3), 65532) << "a piece has as many elements of each rank";
}

TEST_F(CollectivesCommand, NeedsTheResultOfASmallReduceScatter) {
  options.sizes_mib = {0.03125, 0.01};
  EXPECT_EQ(added(), 16384);
  EXPECT_EQ(added(4), 8192);
  options.group = 2;
  EXPECT_EQ(added(4), 16384);
}

TEST_F(CollectivesCommand, NeedsTheResultOfTheLargestPieceWithinTheTotal) {
  options.pieces_mib = {0.015625, 0.03125};
  EXPECT_EQ(added(), 16384);
  options.total_mib = 0.015625;
  EXPECT_EQ(added(), 8192) << "no piece is larger than the total";
  options.sizes_mib = {0.25};
  EXPECT_EQ(added(), 65536) << "single messages are measured, too";
}

TEST_F(CollectivesCommand, NeedsNothingMoreWithoutAReduceScatterInFp32) {
  EXPECT_EQ(added(2, "wire = \"bf16\"\n"), 0);
  options.command = "allreduce";
  EXPECT_EQ(added(), 0);
  options.command = "collectives";
  options.verbs = {model::Verb::all_reduce, model::Verb::all_gather, model::Verb::broadcast,
                   model::Verb::send};
  EXPECT_EQ(added(), 0);
}

}  // namespace
}  // namespace ddproxy
