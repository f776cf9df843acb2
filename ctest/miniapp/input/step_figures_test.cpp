// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/step_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/predict/graph/whole_step_costs.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {
namespace {

const model::Shape shape{.layers = 1, .d_model = 8, .heads = 2, .d_ff = 16, .vocabulary = 11, .context = 4};

StepSample sample_of(double forward, double backward, double step, double alone) {
  StepSample sample;
  sample.phases.forward = forward;
  sample.phases.backward = backward;
  sample.phases.step = step;
  sample.alone = alone;
  return sample;
}

/// Returns a step of two ranks with all gradients in one bucket, so that nothing overlaps.
model::RankGraphs one_bucket() {
  const auto pass = model::backward_pass(shape);
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(4 * gradient.numel);
  return model::whole_step(
      pass, model::forward_pass(shape), 4,
      {.ddp = {.plan = model::flat_plan(bytes)}, .clipped = true, .optimizer = model::Optimizer::adamw}, 2);
}

std::size_t compute_tasks(model::StepGraph const& graph) {
  std::size_t count = 0;
  for (auto const& task : graph.tasks) count += std::holds_alternative<model::Compute>(task.work);
  return count;
}

TEST(StepFigures, RowsHaveTheStatisticsOfTheSamples) {
  const std::vector<StepSample> samples{sample_of(1, 2, 4, 3), sample_of(2, 2, 5, 3.5),
                                        sample_of(4, 2, 9, 4)};
  StepPredictions predictions;
  predictions.contended.phases.step = 6;
  predictions.contended.phases.forward = 1;
  predictions.contended.alone = 4;
  predictions.uncontended.phases.step = 5.5;
  predictions.uncontended.alone = 4;
  StepFigures figures;
  figures.rows = step_rows(sample_of(7, 7, 20, 0), samples, predictions);
  auto const& forward = figures.row("forward");
  EXPECT_DOUBLE_EQ(forward.median.value, 2);
  EXPECT_DOUBLE_EQ(forward.mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(forward.deviation, std::sqrt(7.0 / 3));
  EXPECT_DOUBLE_EQ(forward.first, 7);
  EXPECT_DOUBLE_EQ(forward.error(), -0.5);
  auto const& exposed = figures.row("exposed");
  EXPECT_EQ(exposed.samples, (std::vector<double>{1, 1.5, 5}));
  EXPECT_DOUBLE_EQ(exposed.predicted, 2);
  EXPECT_DOUBLE_EQ(exposed.uncontended, 1.5);
  EXPECT_TRUE(std::isnan(exposed.first));
  EXPECT_DOUBLE_EQ(figures.row("step").error(), 0.2);
  EXPECT_THROW(figures.row("clap"), std::logic_error);
}

TEST(StepFigures, PartsOfASampleAddUpToTheStep) {
  StepSample sample = sample_of(1, 2, 10, 3.5);
  sample.phases.recompute = 0.25;
  sample.phases.clip = 0.5;
  sample.phases.update = 0.75;
  sample.phases.copies = 1.5;
  sample.phases.waiting = 4;
  const auto names = step_part_names();
  const auto seconds = step_part_seconds(sample);
  ASSERT_EQ(seconds.size(), names.size());
  const auto step = static_cast<std::size_t>(std::ranges::find(names, "step") - names.begin());
  EXPECT_DOUBLE_EQ(std::accumulate(seconds.begin(), seconds.begin() + std::ssize(names) - 2, 0.0), 10);
  EXPECT_DOUBLE_EQ(seconds.at(step), 10);
  EXPECT_EQ(names.back(), "exposed");  // E is not a part of the step but a difference of two steps
  EXPECT_DOUBLE_EQ(seconds.back(), 6.5);
}

TEST(StepFigures, ANegativeEHasAWarning) {
  EXPECT_EQ(negative_exposed({sample_of(1, 2, 4, 3), sample_of(1, 2, 4, 4.019)}), "");
  const auto warning =
      negative_exposed({sample_of(1, 2, 4, 3), sample_of(1, 2, 4, 4.5), sample_of(1, 2, 4, 4.25)});
  EXPECT_TRUE(warning.starts_with("the exposed communication E is below 0 in 2 of 3 samples")) << warning;
  EXPECT_NE(warning.find("the smallest is -500.000 ms"), std::string::npos) << warning;
}

TEST(StepFigures, AStepWithoutOverlapIsTheSumOfItsTasks) {
  const auto graphs = one_bucket();
  auto const& graph = graphs.classes.front().graph;
  std::vector<double> seconds;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    seconds.push_back(std::holds_alternative<model::Compute>(graph.tasks[t].work) ? 1e-3 : 0);
  const auto costs = model::measured_step_costs(graphs, seconds, [](std::int64_t) { return 0.5; });
  const auto predicted = model::whole_step_time(graphs, costs);
  const double compute = 1e-3 * static_cast<double>(compute_tasks(graph));
  EXPECT_NEAR(predicted.alone, compute, 1e-12);
  EXPECT_NEAR(predicted.phases.step, compute + 0.5, 1e-12);
  EXPECT_NEAR(predicted.exposed(), 0.5, 1e-12);
  EXPECT_NEAR(predicted.phases.clip, 1e-3, 1e-12);
  EXPECT_NEAR(predicted.phases.update, 1e-3, 1e-12);
}

TEST(StepLanes, HaveTheBusyTimesAndTheBubbleOfBothSteps) {
  const auto graphs = one_bucket();
  auto const& graph = graphs.classes.front().graph;
  const std::vector<double> seconds(graph.tasks.size(), 1e-3);
  const auto summary_of = [&](double reduced) {
    const auto costs = model::measured_step_costs(graphs, seconds, [&](std::int64_t) { return reduced; });
    return model::summarise(graph, model::whole_step_time(graphs, costs).trace);
  };
  const auto lanes = step_lanes(summary_of(0.25), summary_of(0.5));
  const double compute = 1e-3 * static_cast<double>(compute_tasks(graph));
  ASSERT_EQ(lanes.rows.size(), 2U);
  EXPECT_EQ(lanes.rows[0].name, "compute");
  EXPECT_NEAR(lanes.rows[0].busy, compute, 1e-12);
  EXPECT_NEAR(lanes.rows[0].predicted, compute, 1e-12);
  EXPECT_EQ(lanes.rows[1].name, "communication");
  EXPECT_NEAR(lanes.rows[1].busy, 0.25, 1e-12);
  EXPECT_NEAR(lanes.rows[1].predicted, 0.5, 1e-12);
  EXPECT_NEAR(lanes.bubble, 0.25, 1e-12);  // nothing overlaps
  EXPECT_NEAR(lanes.predicted_bubble, 0.5, 1e-12);
}

TEST(StepFigures, HostWaitsAreTheMedianOfTheSamples) {
  std::vector<StepSample> samples(3);
  samples[0].phases.host_waits = 3;
  samples[1].phases.host_waits = 1;
  samples[2].phases.host_waits = 7;
  EXPECT_DOUBLE_EQ(host_waits_of(samples), 3);
}

TEST(StepFigures, KindsOfOperatorsAddUpToTheComputeOfAStep) {
  const auto graphs = one_bucket();
  auto const& graph = graphs.classes.front().graph;
  const std::vector<double> seconds(graph.tasks.size(), 1.0);
  const auto kinds = kind_seconds(graph, model::backward_pass(shape), seconds);
  double sum = 0, products = 0;
  for (auto const& kind : kinds) {
    if (kind.kind != "matrix products") sum += kind.step;
    if (kind.kind == "linear" || kind.kind == "head") products += kind.step;
    if (kind.kind == "attention") {
      EXPECT_EQ(kind.forward, 1);
    }
  }
  EXPECT_EQ(sum, static_cast<double>(compute_tasks(graph)));
  EXPECT_EQ(kinds.back().kind, "matrix products");
  EXPECT_EQ(kinds.back().step, products);
  EXPECT_EQ(kinds.back().forward, 5);  // four linear maps and the head
}

TEST(StepFigures, ThroughputCountsAllRanksAndMicroBatches) {
  Config config;
  config.shape = shape;
  config.tokens = {3, 4};
  config.step.accumulation = 2;
  config.machine.peak_flops = 1e9;
  config.peaks[Precision::fp32] = 2e9;
  StepFigures figures;
  figures.ranks = 5;
  figures.rows = step_rows({}, {sample_of(1, 1, 0.5, 0)}, {});
  add_throughput(figures, config);
  EXPECT_EQ(figures.global_batch, 30);
  EXPECT_DOUBLE_EQ(figures.tokens_per_s, 240);
  EXPECT_DOUBLE_EQ(figures.peak_flops, 2e9);
  EXPECT_TRUE(std::isnan(figures.row("step").deviation));
  EXPECT_EQ(to_line(figures),
            "DDPROXY_STEP_FOM step_tokens_per_s=240 step_s=0.5 forward_s=1 backward_s=1 exposed_s=0.5 "
            "update_s=0 model_error=1 verified=false valid=false");
}

}  // namespace
}  // namespace ddproxy
