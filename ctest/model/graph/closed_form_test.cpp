// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

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

/// When a fully sharded step gathers a unit.
enum class Gathers {
  each_pass,         ///< before each forward and each backward pass (resharding after forward)
  each_micro_batch,  ///< before each forward pass, as PyTorch does without resharding
  once               ///< before the first forward pass; units stay gathered for the whole step
};

/// A fully sharded step of the model `even`, with one unit per layer. Each unit is divided among s ranks, and
/// there are r replicas of all units (r > 1: HSDP). Gradients of k micro-batches are accumulated.
struct Sharded {
  std::size_t s, r;
  int k;
  Gathers gathers;
};

/// The costs of a fully sharded step. f, b and u are the seconds of forward, backward and update of a layer.
/// A collective takes the bytes that a rank sends, divided by the bandwidth of its verb.
struct ShardedCosts {
  double gather, reduce, all_reduce;  ///< bandwidths in bytes per second
  double f = 0, b = 0, u = 0.125;
};

/// The terms of the closed forms. S is (s-1)/s, and psi is the bytes of all layers.
struct ShardedTerms {
  double k, layers;
  /// Seconds of all gathers: 2k psi S, minus the units that stay gathered from one pass to the next one. In
  /// each micro-batch the last unit stays from forward to backward. Between two micro-batches the first unit
  /// stays. Without resharding: k psi S as PyTorch does it, and psi S if units stay for the whole step.
  double gathers;
  double reduces;      ///< seconds of all reduce-scatters: k psi S
  double all_reduces;  ///< seconds of all all-reduces over the replicas: 2 (psi/s) (r-1)/r
  double first_gather, first_reduce, first_all_reduce;  ///< seconds of one collective of the first layer
  double last_reduce;                                   ///< seconds of one reduce-scatter of the last layer
};

ShardedTerms terms_of(Sharded const& step, ShardedCosts const& costs) {
  const auto bytes = [](std::size_t elements) { return 4.0 * static_cast<double>(elements); };
  const double psi = bytes(even.elements());
  const double first = bytes(even.sizes.front()), last = bytes(even.sizes.back());
  const auto s = static_cast<double>(step.s), r = static_cast<double>(step.r);
  const double k = step.k, share = (s - 1) / s, all_reduced = 2 / s * (r - 1) / r;
  const double gathered = step.gathers == Gathers::each_pass ? 2 * k * psi - k * last - (k - 1) * first
                          : step.gathers == Gathers::each_micro_batch ? k * psi
                                                                      : psi;
  return {.k = k,
          .layers = static_cast<double>(even.sizes.size()),
          .gathers = gathered * share / costs.gather,
          .reduces = k * psi * share / costs.reduce,
          .all_reduces = psi * all_reduced / costs.all_reduce,
          .first_gather = first * share / costs.gather,
          .first_reduce = first * share / costs.reduce,
          .first_all_reduce = first * all_reduced / costs.all_reduce,
          .last_reduce = last * share / costs.reduce};
}

double simulated_seconds(Sharded const& sharded, ShardedCosts const& costs, bool one_link) {
  const RankGraphs step = fsdp_step(even, {.shards = sharded.s,
                                           .replicas = sharded.r,
                                           .reshard = sharded.gathers == Gathers::each_pass,
                                           .micro_batches = sharded.k,
                                           .regather = sharded.gathers == Gathers::each_micro_batch});
  CostModel model =
      phase_costs({{Phase::forward, costs.f}, {Phase::backward, costs.b}, {Phase::update, costs.u}});
  const auto set = [&](Verb verb, std::size_t ranks, double bandwidth) {
    model.collectives.set(verb, [=](std::int64_t bytes) {
      return sent_share(verb, ranks) * static_cast<double>(bytes) / bandwidth;
    });
  };
  set(Verb::all_gather, sharded.s, costs.gather);
  set(Verb::reduce_scatter, sharded.s, costs.reduce);
  set(Verb::all_reduce, sharded.r, costs.all_reduce);
  if (!one_link) model.links = own_links(step);
  return seconds_of(step, model);
}

/// Compares simulated steps with `formula`, for all ways to gather units and for several s, k and replicas.
void expect_sharded(ShardedCosts const& costs, bool one_link,
                    std::function<double(Gathers, ShardedTerms const&)> const& formula,
                    std::vector<std::size_t> const& replicas = {1, 2, 3}) {
  for (const Gathers gathers : {Gathers::each_pass, Gathers::each_micro_batch, Gathers::once}) {
    for (const std::size_t s : {2, 4}) {
      for (const std::size_t r : replicas) {
        for (const int k : {1, 2, 3}) {
          const Sharded step{s, r, k, gathers};
          const double expected = formula(gathers, terms_of(step, costs));
          EXPECT_NEAR(simulated_seconds(step, costs, one_link), expected, 1e-12 * expected)
              << s << " shards, " << r << " replicas, " << k << " micro-batches, way to gather "
              << static_cast<int>(gathers);
        }
      }
    }
  }
}

// All lanes share one link, and forward and backward take no time. So the link is never idle until the last
// collective ends. All updates follow:
//   T = gathers + reduces + all-reduces + layers u
// With one bandwidth B and r = 1, the collectives take 3k psi S / B, minus the units that stay gathered.
// Without resharding they take (k+1) psi S / B if units stay for the whole step, and 2k psi S / B as PyTorch
// does it. HSDP adds 2 (psi/s) (r-1)/r / B.
TEST(StepClosedForm, FullyShardedStepsTakeTheirVolumeDividedByTheBandwidth) {
  for (ShardedCosts const& costs : {ShardedCosts{.gather = 100, .reduce = 100, .all_reduce = 100},
                                    ShardedCosts{.gather = 100, .reduce = 40, .all_reduce = 15}}) {
    expect_sharded(costs, true, [&](Gathers, ShardedTerms const& t) {
      return t.gathers + t.reduces + t.all_reduces + t.layers * costs.u;
    });
  }
}

// No collective takes longer than forward or backward of a layer, and each lane has its own link. Exposed are
// the first gather and the last reduce-scatter with its all-reduce; these belong to the first layer:
//   T = x first gather + k layers (f + b) + first reduce + first all-reduce + layers u
// x is 1. But if units are gathered again in each micro-batch without resharding, x is k: the first unit is
// free only after the backward pass that ends the micro-batch.
TEST(StepClosedForm, FullyShardedStepsHideAllButTheFirstGatherAndTheLastReduction) {
  const ShardedCosts costs{.gather = 200, .reduce = 150, .all_reduce = 125, .f = 1, .b = 1.5};
  expect_sharded(costs, false, [&](Gathers gathers, ShardedTerms const& t) {
    const double exposed_gathers = gathers == Gathers::each_micro_batch ? t.k : 1;
    return exposed_gathers * t.first_gather + t.k * t.layers * (costs.f + costs.b) + t.first_reduce +
           t.first_all_reduce + t.layers * costs.u;
  });
}

// Each gather takes at least f + b, so gathers follow each other without a gap. Exposed is the compute after
// the last gather. If units are gathered again in each micro-batch without resharding, this holds for each
// micro-batch:
//   each pass:         T = gathers + b + tail
//   each micro-batch:  T = gathers + k (f + layers b) + tail
//   once:              T = gathers + f + layers b + (k-1) layers (f + b) + tail
//   tail = first reduce + first all-reduce + layers u
TEST(StepClosedForm, FullyShardedStepsWithLongGathersExposeOnlyTheComputeAfterThem) {
  const ShardedCosts costs{.gather = 4, .reduce = 150, .all_reduce = 125, .f = 1, .b = 1.5};
  expect_sharded(costs, false, [&](Gathers gathers, ShardedTerms const& t) {
    const double after_forward = costs.f + t.layers * costs.b;
    const double after_gathers = gathers == Gathers::each_pass ? costs.b
                                 : gathers == Gathers::each_micro_batch
                                     ? t.k * after_forward
                                     : after_forward + (t.k - 1) * t.layers * (costs.f + costs.b);
    return t.gathers + after_gathers + t.first_reduce + t.first_all_reduce + t.layers * costs.u;
  });
}

// Each reduce-scatter takes longer than the forward pass of all layers, so reduce-scatters follow each other
// without a gap from the first backward task on:
//   T = first gather + layers f + b + reduces + first all-reduce + layers u
TEST(StepClosedForm, FullyShardedStepsWithLongReduceScattersExposeOnlyTheComputeBeforeThem) {
  const ShardedCosts costs{.gather = 200, .reduce = 1, .all_reduce = 125, .f = 1, .b = 1.5};
  expect_sharded(costs, false, [&](Gathers, ShardedTerms const& t) {
    return t.first_gather + t.layers * costs.f + costs.b + t.reduces + t.first_all_reduce +
           t.layers * costs.u;
  });
}

// Each all-reduce over the replicas takes longer than backward and reduce-scatter of a layer. All-reduces run
// only in the last micro-batch. They follow each other without a gap from the first reduce-scatter of that
// micro-batch on, which is the one of the last layer:
//   T = x first gather + k layers f + (k-1) layers b + b + last reduce + all-reduces + layers u
// x is k if units are gathered again in each micro-batch without resharding, otherwise 1.
TEST(StepClosedForm, HybridShardedStepsAllReduceOnceAfterTheLastMicroBatch) {
  const ShardedCosts costs{.gather = 200, .reduce = 150, .all_reduce = 2, .f = 1, .b = 1.5};
  const auto formula = [&](Gathers gathers, ShardedTerms const& t) {
    const double exposed_gathers = gathers == Gathers::each_micro_batch ? t.k : 1;
    return exposed_gathers * t.first_gather + t.k * t.layers * costs.f + (t.k - 1) * t.layers * costs.b +
           costs.b + t.last_reduce + t.all_reduces + t.layers * costs.u;
  };
  expect_sharded(costs, false, formula, {2, 3});
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
