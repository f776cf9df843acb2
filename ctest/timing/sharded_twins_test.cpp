// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs the twins of whole steps on A100 (inputs/*-step-a100x*.toml) with each kind of sharding, on the lanes
// that `ddproxy step` makes, and prints T beside its own prediction. Takes about a minute.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ctest/folders.hpp"
#include "ctest/miniapp/input/input_file.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/verb_costs.hpp"
#include "miniapp/measure/step/step_meter.hpp"
#include "miniapp/predict/step_prediction.hpp"

namespace ddproxy {
namespace {

using model::ShardStage;

constexpr double bound = 0.02;
constexpr double giga = 1e9;

struct Method {
  char const* name;
  model::Sharding sharding;
};

const std::vector<Method> methods{{"DDP", {}},
                                  {"ZeRO-1", {.stage = ShardStage::zero1}},
                                  {"FSDP", {.stage = ShardStage::fsdp}},
                                  {"FSDP, lanes = 2", {.stage = ShardStage::fsdp, .lanes = 2}}};
const Method hsdp{"HSDP 8 x 8", {.stage = ShardStage::fsdp, .group = 8}};

Config input(std::string const& name) {
  return read_config(std::string(inputs_folder) + "/" + name + ".toml");
}

/// Returns a table for HSDP of the model on 64 ranks. Within a group of 8 ranks it has half of a(x) of a node
/// of eight A100 for a reduce-scatter and an all-gather. For the all-reduce of the 8 replicas, which sit on 8
/// nodes, and for that of all ranks it has a(x) of 64 ranks. For the replicas that is too long rather than
/// too short.
std::string hsdp_table(std::string const& model) {
  const auto node = input_cost(input(model + "-step-a100x8")).value();
  const auto all = input_cost(input(model + "-step-a100x64")).value();
  std::string text = "verb,ranks,bytes,seconds\n";
  for (std::int64_t bytes = 8; bytes <= std::int64_t{1} << 33; bytes *= 8) {
    for (char const* verb : {"reduce_scatter", "all_gather"})
      text += fmt::format("{},8,{},{}\n", verb, bytes, node(bytes) / 2);
    for (const int ranks : {8, 64}) text += fmt::format("all_reduce,{},{},{}\n", ranks, bytes, all(bytes));
  }
  return text;
}

StepPrediction prediction(Config const& config, Workload const& workload) {
  const auto strategy = strategy_of(config);
  const auto phases = roofline_phases(config, workload.pass, strategy.clipped).value();
  return predict_step(config, strategy, phases, input_job(config, workload).value(),
                      {make_cases(config, workload).at(0)}, config.ranks, replayed_tables(config));
}

/// Runs the twin of an input and compares T with its own prediction.
void run_twin(std::string const& model, Config const& config, std::string const& method) {
  const auto workload = make_workload(config);
  const auto predicted = prediction(config, workload);
  const double expected = predicted.cases.at(0).time.phases.step;
  auto context = make_step_context(config, workload, *test_runtime);
  StepMeter meter(context);
  // Other programs can only add time, so a step that was disturbed is repeated.
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3 && least > (1 + bound) * expected; ++i) least = std::min(least, meter.step().step);
  fmt::print("| {} | {} | {} | {:.6f} | {:.6f} | {:+.4f} % | {:.3f} | {:.1f} | {} |\n", model, config.ranks,
             method, least, expected, 100 * (least / expected - 1), predicted.cases.at(0).time.exposed(),
             static_cast<double>(predicted.memory.peak) / giga,
             predicted.memory.hypothetical() ? "no: hypothetical" : "yes");
  std::fflush(stdout);
  EXPECT_NEAR(least, expected, bound * expected) << model << ", " << config.ranks << ", " << method;
}

class ShardedTwins : public testing::TestWithParam<std::string> {};

TEST_P(ShardedTwins, TakeTheirPredictedTime) {
  for (char const* ranks : {"8", "64"}) {
    Config config = input(GetParam() + "-step-a100x" + ranks);
    for (auto const& method : methods) {
      config.sharding = method.sharding;
      run_twin(GetParam(), config, method.name);
    }
  }
  const Folder folder;
  Config config = input(GetParam() + "-step-a100x64");
  config.table = folder.file("hsdp.csv", hsdp_table(GetParam()));
  config.sharding = hsdp.sharding;
  run_twin(GetParam(), config, hsdp.name);
}

INSTANTIATE_TEST_SUITE_P(OnA100, ShardedTwins, testing::Values("gpt2-large", "llama3-8b"));

}  // namespace
}  // namespace ddproxy
