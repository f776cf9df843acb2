// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <stdexcept>

#include "ctest/model/published.hpp"
#include "ctest/model/shapes.hpp"
#include "model/predict/graph/ddp_costs.hpp"
#include "model/predict/graph/memory_moments.hpp"
#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/step/strategies/ddp.hpp"
#include "model/step/strategies/whole_step.hpp"

// Compares the simulated time of a whole step with formulas.

namespace ddproxy::model {
namespace {

constexpr std::int64_t tokens = 4;
constexpr double norm_rate = 1e-4, clip_rate = 2e-4, update_rate = 7e-4;  // seconds per parameter

double sum(std::vector<double> const& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// A model with random times of its operators.
struct Subject {
  Shape shape;
  BackwardPass pass;
  ForwardPass forward;
  PhaseCosts costs;
  Plan plan;
  AlphaBeta a{0.05, 1e4};

  explicit Subject(Shape const& s, std::int64_t cap = 3000)
      : shape(s), pass(backward_pass(s)), forward(forward_pass(s)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> seconds(0.1, 1);
    for (std::size_t o = 0; o < pass.operations.size(); ++o) {
      costs.forward.push_back(seconds(random));
      costs.backward.push_back(2 * seconds(random));
    }
    costs.norm = [](std::int64_t n) { return norm_rate * static_cast<double>(n); };
    costs.clip = [](std::int64_t n) { return clip_rate * static_cast<double>(n); };
    costs.update = [](std::int64_t n) { return update_rate * static_cast<double>(n); };
    plan = bucketed_plan(gradient_bytes(pass), {&cap, 1});
  }

  double n() const { return static_cast<double>(parameters(pass)); }
};

struct Simulated {
  RankGraphs step;
  StepTraces traces;
  StepGraph const& graph() const { return step.classes[0].graph; }
  StepTrace const& trace() const { return traces.classes[0].trace; }
  PhaseSeconds phases() const { return phase_seconds(graph(), trace()); }
};

Simulated simulated(Subject const& s, Strategy const& strategy, std::size_t ranks,
                    Contention const& contention = {}, Copies const& copies = {}) {
  RankGraphs step = whole_step(s.pass, s.forward, tokens, strategy, ranks);
  StepTraces traces = simulate(step, whole_step_costs(step, s.pass, s.costs, s.a, contention, copies));
  return {std::move(step), std::move(traces)};
}

/// Returns T of the backward pass with its all-reduces, as `ddproxy run` predicts it.
double backward_seconds(Subject const& s, Strategy const& strategy, std::size_t ranks,
                        Contention const& contention = {}, Copies const& copies = {}) {
  const RankGraphs step = ddp(s.pass, strategy.ddp, ranks);
  return simulate(step, ddp_costs(step, s.pass, s.costs.backward, s.a, contention, copies)).end();
}

TEST(WholeStepTime, IsTheSumOfItsPhasesWithoutCommunication) {
  const Subject s(llama_shape(3));
  for (const int k : {1, 4}) {
    const Strategy strategy{
        .ddp = {.plan = s.plan}, .micro_batches = k, .clipped = true, .optimizer = Optimizer::adamw};
    const Simulated one = simulated(s, strategy, 1);
    const PhaseSeconds p = one.phases();
    EXPECT_NEAR(p.forward, k * sum(s.costs.forward), 1e-9);
    EXPECT_NEAR(p.backward, k * sum(s.costs.backward), 1e-9);
    EXPECT_NEAR(p.clip, norm_rate * s.n(), 1e-9);
    EXPECT_NEAR(p.update, update_rate * s.n(), 1e-9);
    EXPECT_EQ(p.recompute, 0);
    EXPECT_EQ(p.copies, 0);
    EXPECT_NEAR(p.waiting, 0, 1e-9);
    EXPECT_NEAR(p.step, p.compute(), 1e-9);
    EXPECT_EQ(p.step, one.traces.end());
  }
}

TEST(WholeStepTime, ClippingWithoutAnOptimizerScalesInASeparateTask) {
  const Subject s(llama_shape(2));
  const PhaseSeconds p = simulated(s, {.ddp = {.plan = s.plan}, .clipped = true}, 1).phases();
  EXPECT_NEAR(p.clip, (norm_rate + clip_rate) * s.n(), 1e-9);
  EXPECT_EQ(p.update, 0);
}

TEST(WholeStepTime, CommunicationOverlapsOnlyTheLastMicroBatch) {
  const Subject s(llama_shape(3));
  const Contention contention(0.8, 0.6);
  for (const int k : {1, 2, 5}) {
    for (const bool overlapped : {true, false}) {
      for (const CopyMode mode : {CopyMode::none, CopyMode::in, CopyMode::in_out}) {
        const Copies copies{mode, 1e5, 1e-3};
        const Strategy strategy{.ddp = {.plan = s.plan, .overlapped = overlapped, .copies = mode},
                                .micro_batches = k};
        const double last = backward_seconds(s, strategy, 4, contention, copies);
        const double before = k * sum(s.costs.forward) + (k - 1) * sum(s.costs.backward);
        EXPECT_NEAR(simulated(s, strategy, 4, contention, copies).traces.end(), before + last, 1e-9)
            << k << " micro-batches, overlapped " << overlapped << ", copies " << static_cast<int>(mode);
      }
    }
  }
}

TEST(WholeStepTime, SyncInEachMicroBatchRepeatsTheWholeStep) {
  const Subject s(llama_shape(3));
  for (const bool overlapped : {true, false}) {
    const Strategy once{.ddp = {.plan = s.plan, .overlapped = overlapped}};
    Strategy five = once;
    five.micro_batches = 5;
    five.sync = Sync::each;
    EXPECT_NEAR(simulated(s, five, 4).traces.end(), 5 * simulated(s, once, 4).traces.end(), 1e-9);
  }
}

TEST(WholeStepTime, CheckpointingAddsTheForwardPassOfTheBlocks) {
  const Subject s(llama_shape(3));
  double blocks = 0;
  for (auto const& operation : s.forward.operations)
    blocks += operation.block ? s.costs.forward[operation.operation] : 0;
  for (const int k : {1, 3}) {
    const Strategy kept{.ddp = {.plan = s.plan}, .micro_batches = k, .optimizer = Optimizer::adamw};
    Strategy again = kept;
    again.checkpoint = Checkpoint::layer;
    const Simulated all = simulated(s, kept, 1), one = simulated(s, again, 1);
    EXPECT_NEAR(one.traces.end() - all.traces.end(), k * blocks, 1e-9);
    EXPECT_NEAR(one.phases().recompute, k * blocks, 1e-9);
  }
}

TEST(WholeStepTime, AnUpdateWithoutClippingStartsBeforeTheLastAllReduceEnds) {
  // The passes take no time, each all-reduce 1 s, each norm and update 1/4 s. All updates except the last run
  // at the same time as an all-reduce.
  Subject s(llama_shape(2), 1000);
  s.costs.forward.assign(s.costs.forward.size(), 0);
  s.costs.backward = s.costs.forward;
  s.costs.norm = s.costs.update = [](std::int64_t) { return 0.25; };
  s.a = {1, 1e30};
  const auto buckets = static_cast<double>(s.plan.size());
  ASSERT_GT(buckets, 2);
  Strategy strategy{.ddp = {.plan = s.plan}, .optimizer = Optimizer::adamw};
  EXPECT_NEAR(simulated(s, strategy, 2).traces.end(), buckets + 0.25, 1e-9);
  // With clipping the norms overlap in the same way, and all updates follow the last norm.
  strategy.clipped = true;
  EXPECT_NEAR(simulated(s, strategy, 2).traces.end(), buckets + 0.25 + 0.25 * buckets, 1e-9);
}

TEST(WholeStepTime, PhasesAddUpToTheStepAndExposedIsTheStepMinusCompute) {
  const Subject s(llama_shape(3));
  const Strategy strategy{.ddp = {.plan = s.plan, .copies = CopyMode::in_out},
                          .micro_batches = 2,
                          .clipped = true,
                          .optimizer = Optimizer::adamw};
  const Copies copies{CopyMode::in_out, 1e5, 1e-3};
  const Simulated two = simulated(s, strategy, 2, Contention(0.7, 0.5), copies);
  const PhaseSeconds with = two.phases(), alone = simulated(s, strategy, 1, {}, copies).phases();
  EXPECT_GT(with.copies, 0);
  EXPECT_GT(with.waiting, 0);
  EXPECT_GT(with.backward, alone.backward);  // contention
  EXPECT_NEAR(with.compute() + with.copies + with.waiting, with.step, 1e-9);
  const Summary summary = summarise(two.graph(), two.trace(), {.compute_alone = alone.compute()});
  EXPECT_NEAR(with.step - alone.compute(), summary.exposed, 1e-9);
  EXPECT_NEAR(with.waiting, summary.bubble, 1e-9);
  EXPECT_NEAR(phase_seconds(two.graph(), two.trace(), with.step + 1).waiting, with.waiting + 1, 1e-9);
  EXPECT_THROW(phase_seconds(two.graph(), {}), std::invalid_argument);
}

TEST(WholeStepTime, RefusesTimesOfAnotherModel) {
  const Subject s(llama_shape(2)), other(llama_shape(3));
  const RankGraphs step = whole_step(s.pass, s.forward, tokens, {.ddp = {.plan = s.plan}}, 2);
  EXPECT_THROW(whole_step_costs(step, s.pass, other.costs, s.a), std::invalid_argument);
  PhaseCosts costs = s.costs;
  costs.recompute = {1, 2};
  EXPECT_THROW(whole_step_costs(step, s.pass, costs, s.a), std::invalid_argument);
}

// ---- memory

std::int64_t bytes_of(std::vector<TokenTensor> const& tensors, bool blocks, bool others) {
  std::int64_t features = 0;
  for (auto const& tensor : tensors) features += (tensor.block ? blocks : others) ? tensor.features : 0;
  return 4 * tokens * features;
}

TEST(WholeStepMemory, IsParametersMomentsGradientsAndActivations) {
  for (const std::int64_t layers : {1, 3, 6}) {
    const Subject s(llama_shape(layers));
    const std::int64_t n = 4 * parameters(s.pass);
    Strategy strategy{.ddp = {.plan = s.plan}, .optimizer = Optimizer::adamw};
    const Simulated all = simulated(s, strategy, 2);
    const MemoryMoments moments = memory_moments(all.graph(), all.trace());
    EXPECT_EQ(total(moments.start), 3 * n);
    // The loss is the last operator of the forward pass. While it runs, every activation is live.
    EXPECT_EQ(total(moments.phases.at(Phase::forward)), 3 * n + bytes_of(s.forward.activations, true, true));
    EXPECT_EQ(total(moments.phases.at(Phase::update)), 4 * n);
    EXPECT_GT(total(moments.phases.at(Phase::backward)), total(moments.phases.at(Phase::update)));
  }
}

TEST(WholeStepMemory, CheckpointsKeepOnlyTheInputOfEachFurtherBlock) {
  const auto of = [](std::int64_t layers, Checkpoint checkpoint) {
    const Subject s(llama_shape(layers));
    const Simulated step = simulated(s, {.ddp = {.plan = s.plan}, .checkpoint = checkpoint}, 2);
    return total(memory_moments(step.graph(), step.trace()).phases.at(Phase::forward));
  };
  const Subject five(llama_shape(5)), six(llama_shape(6));
  const std::int64_t parameters_of_a_block = 4 * (parameters(six.pass) - parameters(five.pass));
  const std::int64_t input = 4 * tokens * 8;
  const std::int64_t block = bytes_of(six.forward.activations, true, false) / 6;
  EXPECT_EQ(of(6, Checkpoint::none) - of(5, Checkpoint::none), parameters_of_a_block + input + block);
  EXPECT_EQ(of(6, Checkpoint::layer) - of(5, Checkpoint::layer), parameters_of_a_block + input);
  EXPECT_EQ(of(6, Checkpoint::none) - of(6, Checkpoint::layer), 5 * block);
}

}  // namespace
}  // namespace ddproxy::model
