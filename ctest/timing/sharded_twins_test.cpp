// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs the twins of whole steps on A100 (inputs/*-step-a100x*.toml) with DDP, ZeRO-1, FSDP and HSDP, on the
// lanes that `ddproxy step` makes, and compares T with the prediction. Takes about a minute.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ctest/folders.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/verb_costs.hpp"
#include "miniapp/measure/step/step_meter.hpp"
#include "miniapp/predict/network.hpp"
#include "miniapp/predict/predict_input.hpp"
#include "miniapp/predict/prediction.hpp"
#include "miniapp/predict/shard_table.hpp"
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

StepPrediction prediction(Config const& config, Workload const& workload) {
  const auto strategy = strategy_of(config);
  const auto phases = roofline_phases(config, workload.pass, strategy.clipped).value();
  return predict_step(config, strategy, phases, input_job(config, workload).value(),
                      {make_cases(config, workload).at(0)}, config.ranks, replayed_tables(config));
}

/// Returns T of the row of HSDP in the table that `ddproxy predict INPUT --shard fsdp` prints.
double hsdp_row(std::string const& name) {
  Options options;
  options.input = std::string(inputs_folder) + "/" + name + ".toml";
  const PredictInput predicted = read_predict_input(options);
  const auto network = make_networks(options.predict, predicted.config).front();
  const auto rows = shard_rows(predicted, make_prediction(predicted, network), {ShardStage::fsdp});
  EXPECT_EQ(rows.back().method, "hsdp, groups of 8");
  EXPECT_EQ(rows.back().problem, "");
  return rows.back().step;
}

/// Runs the twin of an input and compares T with the prediction. Returns T.
double run_twin(std::string const& model, Config const& config, std::string const& method) {
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
  return least;
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
  Config config = input(GetParam() + "-step-a100x64");
  config.sharding = hsdp.sharding;
  const double measured = run_twin(GetParam(), config, hsdp.name);
  const double row = hsdp_row(GetParam() + "-step-a100x64");
  EXPECT_NEAR(measured, row, bound * row) << "the row of HSDP that predict --shard prints for " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(OnA100, ShardedTwins, testing::Values("gpt2-large", "llama3-8b"));

}  // namespace
}  // namespace ddproxy
