// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Trains GPT-2 for two steps: without sharding, with activation checkpointing, and with ZeRO-1, ZeRO-2 and
// FSDP. Compares the resident memory of the process in each phase of the second step with the prediction of
// `ddproxy memory`. ReleasingLane gives buffers that are not live back to the operating system. Needs about
// 2.5 GB for each rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ctest/mpi_main.hpp"
#include "ctest/timing/releasing_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "miniapp/measure/step/step_groups.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "model/step/describe.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy {
namespace {

constexpr std::uint32_t seed = 42;
constexpr std::size_t piece_elements = 1 << 20;
constexpr double timeout_s = 300;
constexpr double bound = 0.05;  // largest error of the prediction

// The rates in [machine] are those of a core. With them the link of the prediction keeps up with compute.
// In the measurement ReleasingLane makes compute wait, so that the link keeps up, too. Otherwise the number
// of buckets that wait for their reduction (ZeRO-1 and ZeRO-2) would depend on the links.
constexpr char const* input = R"([model]
preset = "gpt2"
[step]
batch = 1
sequence = 256
{}
[machine]
peak_flops = 1e11
bandwidth = 1e10
[shard]
{}
)";

struct Method {
  char const* name;
  model::ShardStage stage;
  char const* shard;      ///< text of [shard]
  char const* step = "";  ///< more keys of [step]
};

std::ostream& operator<<(std::ostream& out, Method const& method) {
  return out << method.name;
}

Config config_of(Method const& method) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("resident-{}.toml", getpid());
  std::ofstream(path) << fmt::format(input, method.step, method.shard);
  Config config = read_config(path.string());
  std::filesystem::remove(path);
  return config;
}

int rank() {
  return test_runtime->rank();
}

/// Trains the model of the input on all ranks. All ranks must make the same calls.
class Training {
 public:
  explicit Training(Config const& config)
      : graphs_(whole_step_of(config, step_to_run(config, make_workload(config)),
                              static_cast<std::size_t>(test_runtime->ranks()))),
        graph_(graphs_.classes[model::class_of_ranks(graphs_)[static_cast<std::size_t>(rank())]].graph),
        places_(place_buffers(graph_)),
        groups_(graphs_, *test_runtime, false),
        baseline_(resident_bytes()),
        memory_(Kokkos::view_alloc("buffers of the step", Kokkos::WithoutInitializing), places_.elements),
        step_(graph_, places_.first, groups_.places()),
        lane_(StepInput{config.shape, config.tokens,
                        draw_tokens(config.shape, config.tokens, graph_.expected.micro_batches,
                                    seed + static_cast<std::uint32_t>(rank()))},
              graph_, places_, memory_, groups_.places()),
        compute(lane_, memory_, places_, step_) {
    lane_.initialise(seed);
    std::vector<std::unique_ptr<CollectiveEngine>> engines;
    for (std::size_t lane = 0; lane < step_.lanes().size(); ++lane) {
      auto engine = std::make_unique<MpiEngine>(groups_.communicator(step_.lanes()[lane]), memory_.data(),
                                                piece_elements, timeout_s);
      engines.push_back(std::make_unique<FillingEngine>(std::move(engine), compute, lane, counted_));
    }
    lanes_ = make_lanes(std::move(engines), {.thread = true}, rank());
    for (auto const& lane : lanes_) called_.push_back(lane.get());
  }

  void watch() { compute.watch(called_, baseline_); }

  void run() {
    test_runtime->barrier();
    run_step(step_, compute, called_);
    compute.end_step();
  }

  double mean_loss() const { return test_runtime->sum(lane_.loss()) / test_runtime->ranks(); }

 private:
  model::RankGraphs graphs_;
  model::StepGraph graph_;
  StepPlaces places_;
  StepGroups groups_;
  double baseline_;
  kernels::Floats memory_;
  CompiledStep step_;
  StepLane lane_;
  CountedByVerb counted_;

 public:
  ReleasingLane compute;

 private:
  std::vector<std::unique_ptr<CommunicationLane>> lanes_;  // they use `compute` and `counted_`
  std::vector<CommunicationLane*> called_;
};

/// Returns the mean loss of the second step of a run that releases nothing.
double loss_without_releases(Config const& config) {
  Training training(config);
  for (int step = 0; step < 2; ++step) training.run();
  return training.mean_loss();
}

void compare(Method const& method, std::string_view moment, double mine, model::KindBytes const& predicted) {
  const double measured = test_runtime->maximum(mine), expected = static_cast<double>(total(predicted));
  if (rank() == 0)
    fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:+.1f} % |\n", test_runtime->ranks(), method.name, moment,
               expected / 1e6, measured / 1e6, 100 * (expected / measured - 1));
  EXPECT_NEAR(expected / measured, 1, bound) << moment;
}

class ResidentMemory : public testing::TestWithParam<Method> {};

TEST_P(ResidentMemory, MatchesThePrediction) {
  Method const& method = GetParam();
  const Config config = config_of(method);
  const int ranks = test_runtime->ranks();
  const auto predicted =
      memory_case(config, {method.stage, model::MemoryFormat::fp32}, ranks, config.tokens.batch);
  const double needed = 1.1 * ranks * static_cast<double>(predicted.buffers);
  if (test_runtime->maximum(needed - available_memory()) > 0)
    GTEST_SKIP() << fmt::format("the ranks need {:.1f} GB, which this machine does not have free",
                                needed / 1e9);
  const double loss = loss_without_releases(config);
  Training training(config);
  training.watch();
  for (int step = 0; step < 2; ++step) training.run();
  EXPECT_EQ(training.mean_loss(), loss) << "a buffer was used after its release";
  auto const& moments = predicted.moments;
  auto const& lane = training.compute;
  compare(method, "start", lane.start, moments.start);
  double peak = 0;
  for (auto const& [phase, bytes] : moments.phases) {
    ASSERT_TRUE(lane.phases.contains(phase));
    compare(method, model::name_of(phase), lane.phases.at(phase), bytes);
    peak = std::max(peak, lane.phases.at(phase));
  }
  compare(method, "before update", lane.before_update, moments.before_update.value());
  compare(method, "after update", lane.after_update, moments.after_update.value());
  compare(method, "peak", peak, moments.peak);
}

using Stage = model::ShardStage;
INSTANTIATE_TEST_SUITE_P(
    Gpt2, ResidentMemory,
    testing::Values(Method{"none", Stage::none, "stage = \"none\""},
                    Method{"none, checkpoint layer", Stage::none, "stage = \"none\"",
                           "checkpoint = \"layer\""},
                    Method{"zero1", Stage::zero1, "stage = \"zero1\""},
                    Method{"zero2", Stage::zero2, "stage = \"zero2\""},
                    Method{"fsdp, prefetch 0", Stage::fsdp, "stage = \"fsdp\"\nprefetch = 0"},
                    Method{"fsdp, prefetch 2", Stage::fsdp, "stage = \"fsdp\"\nprefetch = 2"}));

}  // namespace
}  // namespace ddproxy
