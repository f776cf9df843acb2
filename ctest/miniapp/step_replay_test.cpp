// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares twins of whole steps with simulate(). A twin is a run_step() with replayed compute and replayed
// collectives.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/compute/replay/step_replay.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/statistics/quantile.hpp"
#include "model/step/describe.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy {
namespace {

using model::Checkpoint;
using model::Sync;

constexpr double micro_batch_seconds = 20e-3;  // forward and backward of one micro-batch
constexpr std::size_t ranks = 8;

double sum(std::vector<double> const& seconds) {
  double all = 0;
  for (const double each : seconds) all += each;
  return all;
}

/// Returns roofline times of a step, on a machine on which a micro-batch takes micro_batch_seconds.
model::PhaseCosts phases_of(model::Shape const& shape, model::BackwardPass const& pass, bool clipped) {
  model::Machine machine{1e12, 1e11, 1};
  const model::Tokens tokens{2, shape.context};
  auto phases = model::modelled_phases(shape, pass, tokens, machine, 4, clipped);
  const double slower = micro_batch_seconds / (sum(phases.forward) + sum(phases.backward));
  machine.peak_flops /= slower;
  machine.bandwidth /= slower;
  return model::modelled_phases(shape, pass, tokens, machine, 4, clipped);
}

/// A step of GPT-2 with two layers and small dimensions on one of eight ranks, and its costs.
struct Twin {
  model::Shape shape = model::find_preset("tiny");
  model::BackwardPass pass = model::backward_pass(shape);
  model::Strategy strategy;
  model::AllreduceCost cost = model::AlphaBeta{0.5e-3, 40e6};
  model::PhaseCosts phases;
  model::RankGraphs graphs;

  explicit Twin(model::Strategy const& how) : strategy(how) {
    strategy.optimizer = model::Optimizer::adamw;
    strategy.ddp.plan = model::bucketed_plan(gradient_bytes(), std::vector<std::int64_t>{65536});
    phases = phases_of(shape, pass, strategy.clipped);
    graphs = model::whole_step(pass, model::forward_pass(shape), 2 * shape.context, strategy, ranks);
  }
  std::vector<std::int64_t> gradient_bytes() const {
    std::vector<std::int64_t> bytes;
    for (auto const& gradient : pass.gradients) bytes.push_back(4 * gradient.numel);
    return bytes;
  }
  model::StepGraph const& graph() const { return graphs.classes.front().graph; }
  model::StepTraces predicted() const {
    return model::simulate(graphs, model::whole_step_costs(graphs, pass, phases, cost));
  }
  CompiledStep compiled() const {
    std::vector<GroupPlace> places;
    for (auto const& communicator : graphs.communicators)
      places.push_back({0, static_cast<int>(communicator.groups.front().size())});
    return {graph(), place_buffers(graph()).first, places};
  }
  /// Returns a function that gives the seconds of a collective. As in the prediction, a collective that is no
  /// all-reduce takes half of the time of an all-reduce of the same bytes.
  CollectiveCost costs() const {
    return [a = cost](model::Verb verb, std::int64_t bytes) {
      return verb == model::Verb::all_reduce ? a(bytes) : a(bytes) / 2;
    };
  }
};

/// Returns the lanes of a step, which share a link. If `thread` is true, one thread polls all of them,
/// otherwise the compute side.
std::vector<std::unique_ptr<CommunicationLane>> lanes_of(Twin const& twin, CompiledStep const& step,
                                                         bool thread) {
  const auto link = std::make_shared<ReplayLink>();
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (std::size_t lane = 0; lane < step.lanes().size(); ++lane)
    engines.push_back(std::make_unique<ReplayEngine>(twin.costs(), 1, link));
  return make_lanes(std::move(engines), {.thread = thread}, 0);
}

std::vector<model::Strategy> strategies() {
  return {{},
          {.clipped = true},
          {.checkpoint = Checkpoint::layer},
          {.micro_batches = 4},
          {.micro_batches = 4, .sync = Sync::each},
          {.micro_batches = 4, .clipped = true, .checkpoint = Checkpoint::layer},
          {.ddp = {.overlapped = false}, .clipped = true}};
}

std::string name_of(model::Strategy const& s) {
  return "k " + std::to_string(s.micro_batches) + (s.sync == Sync::each ? ", each" : "") +
         (s.clipped ? ", clipped" : "") + (s.checkpoint == Checkpoint::layer ? ", checkpoint" : "") +
         (s.ddp.overlapped ? "" : ", not overlapped");
}

TEST(StepTwin, MeasuresWhatItsTablesPredict) {
  for (auto const& strategy : strategies()) {
    const Twin twin(strategy);
    CompiledStep step = twin.compiled();
    StepReplay compute(twin.phases);
    ThreadedLane allreduce(std::make_unique<ReplayEngine>(twin.cost));
    const double predicted = twin.predicted().end(), allowed = 0.02 * predicted;
    double undisturbed = std::numeric_limits<double>::infinity();
    // Other programs can only add time, so a round that was disturbed is repeated.
    for (int round = 0; round < 5 && undisturbed > predicted + allowed; ++round) {
      std::vector<double> totals;
      for (int i = 0; i < 5; ++i) totals.push_back(run_step(step, compute, allreduce).total);
      EXPECT_GE(std::ranges::min(totals), predicted * 0.9999) << name_of(strategy);
      undisturbed = std::min(undisturbed, model::median(totals));
    }
    EXPECT_NEAR(undisturbed, predicted, allowed) << name_of(strategy);
  }
}

// Transfers on two lanes slow each other. If each lane had the link for itself, these twins would take at
// most 0.95 of the predicted time.
TEST(StepTwin, SharesTheLinkAmongLanes) {
  using model::ShardStage;
  const std::vector<model::Sharding> methods{{.stage = ShardStage::fsdp, .group = 4},
                                             {.stage = ShardStage::fsdp, .prefetch = 2, .lanes = 2},
                                             {.stage = ShardStage::zero1, .lanes = 2}};
  for (auto const& sharding : methods)
    for (const bool thread : {true, false}) {
      const Twin twin({.sharding = sharding});
      CompiledStep step = twin.compiled();
      ASSERT_EQ(step.lanes().size(), 2U);
      StepReplay compute(twin.phases);
      const auto lanes = lanes_of(twin, step, thread);
      std::vector<CommunicationLane*> pointers;
      for (auto const& lane : lanes) pointers.push_back(lane.get());
      const double predicted = twin.predicted().end(), allowed = 0.02 * predicted;
      double least = std::numeric_limits<double>::infinity();
      // Other programs can only add time, so a step that was disturbed is repeated.
      for (int i = 0; i < 3 || (i < 15 && least > predicted + allowed); ++i)
        least = std::min(least, run_step(step, compute, pointers).total);
      EXPECT_NEAR(least, predicted, allowed)
          << "stage " << static_cast<int>(sharding.stage) << ", thread " << thread;
    }
}

// An engine whose gathers take 3 ms stands for a slow network. The forward pass waits for the first gather,
// so the part `waiting` must be at least 3 ms. No other part may contain this time.
TEST(StepTwin, CountsSlowGathersAsWaiting) {
  constexpr double gather_seconds = 3e-3;
  const Twin twin({.sharding = {.stage = model::ShardStage::fsdp}});
  CompiledStep step = twin.compiled();
  ASSERT_EQ(step.lanes().size(), 1U);
  const auto seconds_in = [&](double gather) {
    StepReplay compute(twin.phases);
    ThreadedLane lane(std::make_unique<ReplayEngine>([gather](model::Verb verb, std::int64_t) {
      return verb == model::Verb::all_gather ? gather : 1e-5;
    }));
    const auto times = run_step(step, compute, lane);
    return model::phase_seconds(twin.graph(), trace_of(times, step, lane.finished()), times.total);
  };
  const auto quick = seconds_in(1e-5), slow = seconds_in(gather_seconds);
  for (auto const& phases : {quick, slow})
    EXPECT_NEAR(phases.compute() + phases.copies + phases.waiting, phases.step, 1e-9);
  EXPECT_NEAR(slow.forward, sum(twin.phases.forward), 1e-3);
  EXPECT_NEAR(slow.backward, sum(twin.phases.backward), 1e-3);
  EXPECT_GE(quick.waiting, 0);
  EXPECT_GE(slow.waiting, gather_seconds);
}

// A replayed task lasts from one deadline to the next, whenever a thread wakes up. So every task has its
// predicted times, counted from the first task, even on a busy machine.
TEST(StepTwin, CarriesOutEveryTaskAtItsPredictedTime) {
  for (auto const& strategy : strategies()) {
    const Twin twin(strategy);
    CompiledStep step = twin.compiled();
    StepReplay compute(twin.phases);
    ThreadedLane allreduce(std::make_unique<ReplayEngine>(twin.cost));
    const auto times = run_step(step, compute, allreduce);
    const auto trace = trace_of(times, step, allreduce.finished());
    const auto predicted = twin.predicted().classes.front().trace;
    ASSERT_EQ(trace.tasks.size(), predicted.tasks.size());
    const double begin = trace.tasks[0].end - predicted.tasks[0].end;
    for (std::size_t t = 0; t < trace.tasks.size(); ++t) {
      const auto what = name_of(strategy) + ": " + model::describe(twin.graph().tasks[t]);
      if (t > 0) {
        EXPECT_NEAR(trace.tasks[t].start - begin, predicted.tasks[t].start, 2e-6) << what;
      }
      EXPECT_NEAR(trace.tasks[t].end - begin, predicted.tasks[t].end, 2e-6) << what;
      for (const auto before : twin.graph().tasks[t].after)
        EXPECT_LE(trace.tasks[index(before)].end, trace.tasks[t].start + 1e-9) << what;
    }
  }
}

TEST(StepReplay, RefusesTimesOfAnotherModel) {
  const Twin twin({});
  auto phases = twin.phases;
  phases.forward.pop_back();
  EXPECT_THROW(StepReplay{phases}, std::invalid_argument);
  phases = twin.phases;
  phases.recompute = {1e-3};
  EXPECT_THROW(StepReplay{phases}, std::invalid_argument);
}

TEST(StepReplay, RefusesAnOperatorWithoutATime) {
  const Twin twin({});
  auto few = twin.phases;
  few.forward.pop_back();
  few.backward.pop_back();
  StepReplay compute(few);
  CompiledStep step = twin.compiled();
  ThreadedLane allreduce(std::make_unique<ReplayEngine>(twin.cost));
  EXPECT_THROW(run_step(step, compute, allreduce), std::logic_error);
}

}  // namespace
}  // namespace ddproxy
