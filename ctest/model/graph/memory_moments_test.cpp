// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/memory_moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "costs.hpp"
#include "ctest/model/published.hpp"
#include "ctest/model/shapes.hpp"
#include "model/cost/activation_memory.hpp"
#include "model/cost/step_work.hpp"
#include "model/predict/graph/memory_format.hpp"
#include "model/step/strategies/whole_step.hpp"

// Compares memory_moments(), the memory at selected times of a step, with live_memory() and with closed
// forms.

namespace ddproxy::model {
namespace {

constexpr std::int64_t tokens = 12;

/// A step of data parallelism with AdamW on two ranks.
struct Subject {
  Shape shape;
  BackwardPass pass;
  ForwardPass forward;
  RankGraphs step;
  StepTrace trace;

  explicit Subject(Shape const& s, Checkpoint checkpoint = Checkpoint::none, int micro_batches = 1)
      : shape(s), pass(backward_pass(s)), forward(forward_pass(s)) {
    Strategy how{.micro_batches = micro_batches,
                 .clipped = true,
                 .optimizer = Optimizer::adamw,
                 .checkpoint = checkpoint};
    how.ddp.plan = flat_plan(gradient_bytes(pass));
    step = whole_step(pass, forward, tokens, how, 2);
    CostModel costs = phase_costs({{Phase::forward, 1},
                                   {Phase::recompute, 1},
                                   {Phase::backward, 2},
                                   {Phase::norm, 1},
                                   {Phase::update, 1}});
    costs.collectives.set(Verb::all_reduce, always(3));
    trace = simulate(step, step_costs(step, costs)).classes[0].trace;
  }

  StepGraph const& graph() const { return step.classes[0].graph; }
  MemoryMoments moments(MemoryFormat format = MemoryFormat::fp32) const {
    return memory_moments(in_format(graph(), pass, forward, format), trace);
  }
  std::int64_t psi() const { return parameters(pass); }
  std::int64_t kept() const {
    const ActivationElements elements = activation_elements(shape);
    return tokens * (shape.layers * elements.layer + elements.outside);
  }
};

/// Returns, for each phase, the largest number of live bytes while one of its tasks runs.
std::map<Phase, std::int64_t> most_by_phase(StepGraph const& graph, LiveMemory const& memory) {
  std::map<Phase, std::int64_t> most;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (auto const* compute = std::get_if<Compute>(&graph.tasks[t].work))
      most[compute->phase] = std::max(most[compute->phase], memory.during[t]);
  }
  return most;
}

TEST(MemoryMoments, AgreeWithLiveMemory) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    for (const Checkpoint checkpoint : {Checkpoint::none, Checkpoint::layer}) {
      const Subject step(shape, checkpoint, 2);
      const LiveMemory memory = live_memory(step.graph(), step.trace);
      const MemoryMoments moments = step.moments();
      EXPECT_EQ(total(moments.peak), memory.peak);
      EXPECT_EQ(total(moments.start), memory.at_start);
      for (auto const& [kind, bytes] : memory.kinds) EXPECT_EQ(bytes_of(moments.peak, kind), bytes.at_peak);
      for (auto const& [phase, most] : most_by_phase(step.graph(), memory))
        EXPECT_EQ(total(moments.phases.at(phase)), most);
      std::int64_t most = 0;
      for (MemoryPoint const& point : moments.timeline) most = std::max(most, total(point.live));
      EXPECT_EQ(most, memory.peak);
      EXPECT_TRUE(std::ranges::is_sorted(moments.timeline, {}, &MemoryPoint::seconds));
      EXPECT_EQ(moments.timeline.back().live.at(BufferKind::activation), 0);
      EXPECT_EQ(total(*moments.after_update), memory.at_start);
    }
  }
}

// Before the update, parameters, the two moments of AdamW and gradients are live: 16 bytes a parameter. After
// the update the gradients are not live any more.
TEST(MemoryMoments, GradientsAreLiveBeforeButNotAfterTheUpdate) {
  const Subject step(find_preset("tiny"));
  const MemoryMoments moments = step.moments();
  ASSERT_TRUE(moments.before_update && moments.after_update);
  EXPECT_EQ(bytes_of(*moments.before_update, BufferKind::gradient), 4 * step.psi());
  EXPECT_EQ(total(*moments.before_update), 16 * step.psi() + 8);  // 8 bytes: the sum of squares
  EXPECT_EQ(total(*moments.after_update), 12 * step.psi());
  EXPECT_GT(moments.peak_seconds, 0);
}

TEST(MemoryMoments, ActivationsMatchTheClosedForm) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    const Subject step(shape);
    const LiveMemory memory = live_memory(step.graph(), step.trace);
    EXPECT_EQ(memory.kinds.at(BufferKind::activation).peak, 4 * step.kept());
  }
}

TEST(MemoryFormats, KeepSixteenBytesForEachParameter) {
  for (const MemoryFormat format : {MemoryFormat::fp32, MemoryFormat::bf16_master, MemoryFormat::autocast}) {
    const Subject step(llama_shape(3));
    const MemoryMoments moments = step.moments(format);
    const bool half = format == MemoryFormat::bf16_master;
    EXPECT_EQ(bytes_of(moments.start, BufferKind::parameter), (half ? 2 : 4) * step.psi());
    EXPECT_EQ(bytes_of(moments.start, BufferKind::optimizer_state), (half ? 12 : 8) * step.psi());
    EXPECT_EQ(bytes_of(*moments.before_update, BufferKind::gradient), (half ? 2 : 4) * step.psi());
    EXPECT_EQ(total(*moments.before_update) - bytes_of(*moments.before_update, BufferKind::scalar),
              16 * step.psi());
  }
}

TEST(MemoryFormats, Bf16HalvesTheActivations) {
  const Subject step(find_preset("tiny"));
  const auto activations = [&](MemoryFormat format) {
    return bytes_of(step.moments(format).phases.at(Phase::forward), BufferKind::activation);
  };
  EXPECT_EQ(activations(MemoryFormat::fp32), 4 * step.kept());
  EXPECT_EQ(activations(MemoryFormat::bf16_master), 2 * step.kept());
}

// The residual stream (2 L + 1 tensors of d features, with L layers), the statistics of the norms, the
// tensors log_sum of attention and of the loss, the logits and the loss stay in fp32.
TEST(MemoryFormats, AutocastCachesWeightsAndHalvesSomeActivations) {
  const Subject step(find_preset("tiny"));
  const MemoryMoments moments = step.moments(MemoryFormat::autocast);
  KindBytes const& forward = moments.phases.at(Phase::forward);
  EXPECT_EQ(bytes_of(forward, BufferKind::cached_weight), 2 * product_parameters(step.shape));
  Shape const& s = step.shape;
  const std::int64_t single =
      (2 * s.layers + 1) * s.d_model + 2 * (2 * s.layers + 1) + s.layers * s.heads + s.vocabulary + 2;
  EXPECT_EQ(bytes_of(forward, BufferKind::activation), 2 * step.kept() + 2 * tokens * single);
  EXPECT_EQ(bytes_of(*moments.before_update, BufferKind::cached_weight), 0);
}

}  // namespace
}  // namespace ddproxy::model
