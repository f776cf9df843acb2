// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "costs.hpp"
#include "ctest/model/step/steps.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/step/graph_builder.hpp"

// Compares simulate(RankGraphs) with times from formulas.

namespace ddproxy::model {
namespace {

const Layers even{{8, 24, 16, 32, 40, 16}};  // sizes that 2 and 4 ranks can divide equally

double real(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

TEST(StepClosedForm, TheBubbleOf1F1BMatchesItsFormula) {
  for (std::size_t p = 1; p <= 5; ++p) {
    for (int m = 1; m <= 9; ++m) {
      const RankGraphs step = pipeline_step(p, m);
      CostModel model = phase_costs({{Phase::forward, 1}, {Phase::backward, 2.25}});
      model.collectives.set(Verb::send, always(0));
      const StepTraces traces = simulate(step, step_costs(step, model));
      const double in_turn = static_cast<double>(m) + static_cast<double>(p) - 1;
      EXPECT_NEAR(traces.end(), in_turn * 3.25, 1e-12 * in_turn);
      for (ClassTrace const& each : traces.classes) {
        const Summary summary =
            summarise(step.classes[each.rank_class].graph, each.trace, {.total = traces.end()});
        EXPECT_NEAR(summary.bubble / summary.total, (static_cast<double>(p) - 1) / in_turn, 1e-12)
            << p << " stages, " << m << " micro-batches, stage " << each.rank_class;
        // The compute lane has only Compute tasks, so E is the bubble.
        EXPECT_NEAR(summary.exposed, summary.bubble, 1e-12 * in_turn);
      }
    }
  }
}

/// Returns the forward pass of one stage. Transfers from stage s to stage s + 1 use lane s and communicator
/// s.
StepGraph forward_stage(std::size_t s, std::size_t stages, int micro_batches) {
  GraphBuilder builder;
  const auto activation = [&](AccessMode mode, BufferId buffer) {
    return Access{.buffer = buffer, .slice = {0, 1}, .mode = mode, .content = Content::activation};
  };
  const auto transfer = [&](Verb verb, std::size_t link, Access const& access) {
    builder.task({.work = Collective{.verb = verb,
                                     .communicator = CommunicatorId{link},
                                     .root_or_peer = verb == Verb::send ? 1 : 0},
                  .accesses = {access},
                  .lane = {LaneKind::communication, link}});
  };
  for (int m = 0; m < micro_batches; ++m) {
    const BufferId in = builder.buffer({.kind = BufferKind::activation, .elements = 1});
    const BufferId out = builder.buffer({.kind = BufferKind::activation, .elements = 1});
    if (s > 0) transfer(Verb::receive, s - 1, activation(AccessMode::assign, in));
    std::vector<Access> accesses{activation(AccessMode::assign, out)};
    if (s > 0) accesses.push_back(activation(AccessMode::read, in));
    builder.task({.work = Compute{OperatorId{s}, Phase::forward, m}, .accesses = accesses});
    if (s + 1 < stages) transfer(Verb::send, s, activation(AccessMode::read, out));
  }
  return builder.finish({});
}

RankGraphs forward_pipeline(std::size_t stages, int micro_batches) {
  RankGraphs step;
  for (std::size_t s = 0; s + 1 < stages; ++s) step.communicators.push_back({{{s, s + 1}}});
  for (std::size_t s = 0; s < stages; ++s)
    step.classes.push_back({forward_stage(s, stages, micro_batches), {s}});
  return step;
}

/// Returns the end of the forward pass by a recurrence over stages s and micro-batches j. f is the end of the
/// compute of stage s, which takes t_s seconds. c is the end of the transfer after it, which takes x seconds:
///   f(s,j) = max(c(s-1,j), f(s,j-1)) + t_s
///   c(s,j) = max(f(s,j), c(s,j-1)) + x
double forward_seconds(std::vector<double> const& t, int micro_batches, double x) {
  std::vector<double> f(t.size()), c(t.size());
  for (int j = 0; j < micro_batches; ++j) {
    for (std::size_t s = 0; s < t.size(); ++s) {
      f[s] = std::max(s ? c[s - 1] : 0, f[s]) + t[s];
      c[s] = std::max(f[s], c[s]) + x;
    }
  }
  return f.back();
}

TEST(StepClosedForm, ForwardPassOfAPipelineMatchesItsRecurrence) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<double> t(static_cast<std::size_t>(1 + i % 6));
    for (double& each : t) each = real(random, 0.1, 1);
    const double x = real(random, 0, 2);
    const int m = 1 + i % 7;
    const RankGraphs step = forward_pipeline(t.size(), m);
    CostModel model{.seconds = [&](std::size_t s, Task const&) { return t[s]; }};
    model.collectives.set(Verb::send, always(x));
    model.links = own_links(step);
    const double expected = forward_seconds(t, m, x);
    EXPECT_NEAR(seconds_of(step, model), expected, 1e-12 * expected);
  }
}

TEST(StepClosedForm, FullyShardedStepMatchesItsFormulaForHiddenAndExposedGathers) {
  for (const std::size_t layers : {2, 3, 4, 7}) {
    const RankGraphs step = fsdp_step({std::vector<std::size_t>(layers, 8)}, {.shards = 2, .slots = 2});
    const auto n = static_cast<double>(layers);
    const double r = 0.75, u = 0.125;
    const auto seconds = [&](double forward, double backward, double gather) {
      CostModel model =
          phase_costs({{Phase::forward, forward}, {Phase::backward, backward}, {Phase::update, u}});
      model.collectives.set(Verb::all_gather, always(gather));
      model.collectives.set(Verb::reduce_scatter, always(r));
      model.links = own_links(step);
      return seconds_of(step, model);
    };
    // A gather takes no longer than forward or backward of a layer. Only the first gather and the last
    // reduce-scatter are exposed. All updates follow the last reduce-scatter.
    EXPECT_NEAR(seconds(1, 2, 0.5), 0.5 + n * (1 + 2) + r + n * u, 1e-12 * n);
    EXPECT_NEAR(seconds(1, 1, 1), 1 + n * 2 + r + n * u, 1e-12 * n);
    // A gather takes at least as long as forward or backward of a layer, so gathers follow each other without
    // a gap. Each layer is gathered once in the forward pass. All layers except the last, whose unit is kept,
    // are gathered again in the backward pass.
    EXPECT_NEAR(seconds(1, 2, 3), (2 * n - 1) * 3 + 2 + r + n * u, 1e-12 * n);
    EXPECT_NEAR(seconds(0.25, 0.5, 5), (2 * n - 1) * 5 + 0.5 + r + n * u, 1e-12 * n);
  }
}

TEST(StepClosedForm, DataParallelWithAccumulationReducesAfterTheLastMicroBatch) {
  std::mt19937 random(2);
  for (int i = 0; i < 40; ++i) {
    const std::size_t bucket = 1 + static_cast<std::size_t>(i % 3);
    const int k = 1 + i % 4;
    const double f = real(random, 0, 1), b = real(random, 0, 1), u = real(random, 0, 1);
    const double alpha = real(random, 0, 1), second_a_byte = real(random, 0, 0.03);
    const auto a = [=](std::int64_t bytes) { return alpha + static_cast<double>(bytes) * second_a_byte; };
    const RankGraphs step = ddp_step(even, {.bucket = bucket, .micro_batches = k});
    CostModel model = phase_costs({{Phase::forward, f}, {Phase::backward, b}, {Phase::update, u}});
    model.collectives.set(Verb::all_reduce, a);

    const auto layers = static_cast<double>(even.sizes.size());
    const double before = (k - 1) * layers * (f + b) + layers * f;
    double reduced = 0;
    double updated = before + layers * b;
    std::vector<double> ends;
    for (std::size_t end = even.sizes.size(); end > 0;) {
      const std::size_t first = end > bucket ? end - bucket : 0;
      const double ready = before + static_cast<double>(even.sizes.size() - first) * b;
      reduced = std::max(reduced, ready) +
                a(static_cast<std::int64_t>(4 * (even.offset(end) - even.offset(first))));
      ends.push_back(reduced);
      end = first;
    }
    for (const double each : ends) updated = std::max(updated, each) + u;
    EXPECT_NEAR(seconds_of(step, model), updated, 1e-12 * updated);
  }
}

TEST(StepClosedForm, ZeroStagesTakeTheirVolumeDividedByTheBandwidth) {
  const double bandwidth = 100, psi = 4.0 * static_cast<double>(even.elements());
  for (const std::size_t n : {2, 4}) {
    for (const int k : {1, 3}) {
      const auto seconds = [&](Zero zero) {
        CostModel model = phase_costs({});
        for (const Verb verb : {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather}) {
          model.collectives.set(verb, [=](std::int64_t bytes) {
            return sent_share(verb, n) * static_cast<double>(bytes) / bandwidth;
          });
        }
        return seconds_of(ddp_step(even, {.ranks = n, .micro_batches = k, .zero = zero}), model);
      };
      const double once = psi * sent_share(Verb::all_gather, n) / bandwidth;
      EXPECT_NEAR(seconds(Zero::none), 2 * once, 1e-12 * once);
      EXPECT_NEAR(seconds(Zero::stage1), 2 * once, 1e-12 * once);
      EXPECT_NEAR(seconds(Zero::stage2), (k + 1) * once, 1e-12 * k * once);
    }
  }
}

TEST(StepClosedForm, WarnsIfHalfAnAllReduceReplacesAMissingCost) {
  const RankGraphs step = ddp_step(even, {.zero = Zero::stage1});
  CostModel model = phase_costs({});
  model.collectives.set(Verb::all_reduce, [](std::int64_t bytes) { return static_cast<double>(bytes); });
  const StepTraces traces = simulate(step, step_costs(step, model));
  EXPECT_DOUBLE_EQ(traces.end(), 4.0 * static_cast<double>(even.elements()));
  ASSERT_EQ(traces.warnings.size(), 2U);
  EXPECT_NE(traces.warnings[0].find("reduce_scatter on communicator 0"), std::string::npos);
  EXPECT_NE(traces.warnings[1].find("all_gather on communicator 0"), std::string::npos);
}

}  // namespace
}  // namespace ddproxy::model
