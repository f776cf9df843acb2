// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "ctest/miniapp/step_run.hpp"

// In a whole step each all-reduce waits for the compute task that completes its gradients, as the graph says.
// These tests check that the kernels really have completed them by then. kernel_completion_test.cpp checks
// the same for the backward pass of GPT-2.
namespace ddproxy {
namespace {

/// An all-reduce of a step, and a copy of its gradients, made when they should be complete.
struct Reduced {
  Slice slice;  ///< in the buffer of the gradients
  /// The compute task that completes the gradients, as the graph says: its index among the compute tasks.
  std::size_t complete;
  std::vector<float> early = {};
};

/// Returns all all-reduces of a step that reduces gradients in place.
std::vector<Reduced> reduced_by(model::StepGraph const& graph) {
  std::vector<std::size_t> computes(graph.tasks.size());  // [task] compute tasks up to and with it
  std::vector<Reduced> all;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    auto const& task = graph.tasks[t];
    computes[t] = (t > 0 ? computes[t - 1] : 0) + std::holds_alternative<model::Compute>(task.work);
    if (!std::holds_alternative<model::Collective>(task.work)) continue;
    std::size_t last = 0;
    for (const auto before : task.after) last = std::max(last, computes[index(before)]);
    if (last == 0) throw std::logic_error("an all-reduce waits for no compute task");
    all.push_back({task.accesses.front().slice, last - 1});
  }
  return all;
}

/// Copies the gradients of each all-reduce. If `earlier` is 0, makes the copy right after the compute task
/// that completes them, as the graph says; otherwise that number of compute tasks earlier.
class Snapshots : public ComputeLane {
 public:
  Snapshots(StepLane& lane, std::span<const float> gradients, std::vector<Reduced>& all, std::size_t earlier)
      : lane_(lane), gradients_(gradients), all_(all), earlier_(earlier) {}
  std::size_t operations() const override { return lane_.operations(); }
  void begin() override { lane_.begin(); }
  void run(std::size_t operation) override { lane_.run(operation); }
  bool knows(model::Compute const& compute) const override { return lane_.knows(compute); }
  void copy(Slice from, std::size_t to) override { lane_.copy(from, to); }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }
  void carry_out(ComputeCall const& call) override {
    lane_.carry_out(call);
    lane_.fence();
    for (auto& each : all_)
      if (each.complete == done_ + earlier_) each.early = copy_of(each.slice);
    ++done_;
  }
  std::vector<float> copy_of(Slice slice) const {
    const auto part = gradients_.subspan(slice.offset, slice.count);
    return {part.begin(), part.end()};
  }

 private:
  StepLane& lane_;
  std::span<const float> gradients_;
  std::vector<Reduced>& all_;
  std::size_t earlier_, done_ = 0;
};

/// Returns a step of two micro-batches in which each gradient has a bucket of its own.
StepCase case_of(model::Shape const& shape, model::Checkpoint checkpoint = model::Checkpoint::none) {
  return {
      shape,
      {2, 16},
      {.ddp = {.plan = plan_of(shape, 1)}, .micro_batches = 2, .checkpoint = checkpoint}};  // a bucket each
}

/// Runs a step of two micro-batches on one rank. Returns the names of the gradients that change after
/// Snapshots has copied them. `earlier` is as in Snapshots. `change` plants a fault into the graph.
std::vector<std::string> incomplete(StepCase const& c, std::size_t earlier = 0,
                                    std::function<void(model::StepGraph&)> const& change = {}) {
  std::vector<Reduced> all;
  StepRun step(c, [&](model::StepGraph& graph) {
    if (change) change(graph);
    all = reduced_by(graph);
  });
  Snapshots lane(*step.lane, step.gradients(), all, earlier);
  step.run(lane);
  const auto gradients = model::backward_pass(c.shape).gradients;
  EXPECT_EQ(all.size(), gradients.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].early.size(), all[i].slice.count);
    const auto late = lane.copy_of(all[i].slice);
    if (std::memcmp(all[i].early.data(), late.data(), late.size() * sizeof(float)) != 0)
      names.push_back(gradients[i].name);
  }
  return names;
}

std::vector<model::Shape> all_shapes() {
  auto all = mixed_models();
  auto untied = model::find_preset("tiny");
  untied.tied = false;
  auto tied = small_llama();
  tied.tied = true;
  all.insert(all.end(), {model::find_preset("tiny"), untied, small_llama(), tied});
  return all;
}

using Names = std::vector<std::string>;

TEST(StepCompletion, EachGradientIsCompleteWhenTheGraphSaysSo) {
  for (auto const& shape : all_shapes())
    for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer})
      EXPECT_EQ(incomplete(case_of(shape, checkpoint)), Names{});
}

// Shows that the test above can fail: it finds each gradient that is copied one compute task too early.
TEST(StepCompletion, NoGradientIsCompleteOneTaskEarlier) {
  for (auto const& shape : all_shapes())
    EXPECT_EQ(incomplete(case_of(shape), 1).size(), model::backward_pass(shape).gradients.size());
}

bool is_backward_of_head(model::Task const& task, model::BackwardPass const& pass) {
  auto const* compute = std::get_if<model::Compute>(&task.work);
  return compute && compute->phase == model::Phase::backward && compute->micro_batch == 1 &&
         pass.operations.at(index(compute->op)).kind == model::OperationKind::head;
}

// The output head and the token embedding both contribute to the gradient of a tied embedding. So this
// gradient is not complete after the backward computation of the head.
TEST(StepCompletion, ATiedEmbeddingGradientIsNotCompleteAfterTheHead) {
  for (auto shape : {model::find_preset("tiny"), small_llama()}) {
    shape.tied = true;
    const auto pass = model::backward_pass(shape);
    const auto last = std::ranges::find_if(pass.gradients, [&](auto const& gradient) {
      return gradient.numel == shape.vocabulary * shape.d_model;
    });
    ASSERT_NE(last, pass.gradients.end());
    const auto too_early = [&](model::StepGraph& graph) {
      const auto head =
          std::ranges::find_if(graph.tasks, [&](auto& task) { return is_backward_of_head(task, pass); });
      auto left = last - pass.gradients.begin();  // the all-reduces are in the order of the gradients
      for (auto& task : graph.tasks)
        if (std::holds_alternative<model::Collective>(task.work) && left-- == 0)
          task.after = {model::TaskId{static_cast<std::size_t>(head - graph.tasks.begin())}};
    };
    EXPECT_EQ(incomplete(case_of(shape), 0, too_early), Names{last->name});
  }
}

}  // namespace
}  // namespace ddproxy
