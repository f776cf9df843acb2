// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctest/kernels/device.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {

inline constexpr std::uint32_t step_seed = 42;

/// A whole step that a test runs.
struct StepCase {
  model::Shape shape;
  model::Tokens tokens;  ///< number and length of the sequences of a micro-batch
  model::Strategy strategy = {};
  std::optional<double> clip = std::nullopt;
  kernels::AdamwSettings optimizer = {};
  /// Tokens of this rank, [micro-batch]. If the list is empty, StepRun draws random tokens.
  std::vector<TokenBatch> batches = {};
};

/// Returns the buckets of a model. `cap` is in bytes; 0 gives one bucket.
inline model::Plan plan_of(model::Shape const& shape, std::int64_t cap = 20000) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : model::backward_pass(shape).gradients) bytes.push_back(4 * gradient.numel);
  return cap > 0 ? model::bucketed_plan(bytes, std::vector{cap}) : model::flat_plan(bytes);
}

/// Returns a small Llama: RMS norms, RoPE, two heads of keys and values, SwiGLU, no biases.
inline model::Shape small_llama() {
  return {.layers = 2,
          .d_model = 32,
          .heads = 4,
          .d_ff = 48,
          .vocabulary = 61,
          .context = 20,
          .tied = false,
          .biases = false,
          .activation = model::Activation::swiglu,
          .norm = model::Norm::rmsnorm,
          .positions = model::Positions::rope,
          .qkv = model::Qkv::separate,
          .kv_heads = 2};
}

/// Returns models that mix the parts of GPT-2 and of Llama.
inline std::vector<model::Shape> mixed_models() {
  using namespace model;
  const Shape small{.layers = 2, .d_model = 24, .heads = 4, .d_ff = 36, .vocabulary = 53, .context = 17};
  Shape separate = small, rotated = small, gated = small, untied = small;
  separate.qkv = Qkv::separate;
  rotated.norm = Norm::rmsnorm;
  rotated.positions = Positions::rope;
  rotated.biases = false;
  rotated.kv_heads = 2;
  gated.activation = Activation::swiglu;
  gated.positions = Positions::none;
  gated.biases = false;  // a layer norm without a bias
  gated.kv_heads = 1;
  untied.tied = false;
  untied.activation = Activation::swiglu;
  untied.norm = Norm::rmsnorm;  // with linear maps that have biases
  untied.qkv = Qkv::separate;
  untied.positions = Positions::rope;
  untied.kv_heads = 2;
  return {separate, rotated, gated, untied};
}

inline model::RankGraphs graphs_of(StepCase const& c) {
  return model::whole_step(model::backward_pass(c.shape), model::forward_pass(c.shape), c.tokens.count(),
                           c.strategy, static_cast<std::size_t>(test_runtime->ranks()));
}

/// Runs whole steps with the kernels and over MPI. The step's memory holds NaN at first, so the results show
/// if a task reads an element before it is written. All ranks make the same calls.
class StepRun {
 public:
  /// `change` plants a fault into the graph.
  explicit StepRun(StepCase const& c, std::function<void(model::StepGraph&)> const& change = {})
      : layout_(model::backward_pass(c.shape).gradients), graph_(graphs_of(c).classes.front().graph) {
    if (change) change(graph_);
    places_ = place_buffers(graph_);
    memory_ = kernels::poisoned(places_.elements);
    const int rank = test_runtime->rank();
    step_.emplace(graph_, places_.first, std::vector{GroupPlace{rank, test_runtime->ranks()}});
    StepInput input{c.shape, c.tokens,
                    c.batches.empty() ? draw_tokens(c.shape, c.tokens, graph_.expected.micro_batches,
                                                    step_seed + static_cast<std::uint32_t>(rank))
                                      : c.batches,
                    c.optimizer, c.clip};
    lane.emplace(std::move(input), graph_, places_, memory_);
    lane->initialise(step_seed);
    std::vector<std::unique_ptr<CollectiveEngine>> engines;
    engines.push_back(std::make_unique<MpiEngine>(MPI_COMM_WORLD, memory_.data(), 1 << 20, 60));
    communication_ = make_lanes(std::move(engines), {.thread = true}, rank);
  }

  void run() { run(*lane); }
  /// Runs the step on `compute`, which must hand its calls on to `lane`.
  void run(ComputeLane& compute) {
    test_runtime->barrier();
    run_step(*step_, compute, *communication_.front());
  }

  /// Returns the number of collectives in the last step.
  std::size_t collectives() const { return communication_.front()->finished().size(); }

  /// Returns the loss of the last step, averaged over the ranks.
  double mean_loss() const { return test_runtime->sum(lane->loss()) / test_runtime->ranks(); }

  /// Returns the memory of the buffer number `n` of a kind, counted from 0 in the order of the graph. Throws
  /// std::logic_error if the step has no such buffer.
  std::span<float> buffer(model::BufferKind kind, std::size_t n = 0) {
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b)
      if (graph_.buffers[b].kind == kind && n-- == 0)
        return {memory_.data() + places_.first[b], graph_.buffers[b].elements};
    throw std::logic_error("the step has no such buffer");
  }
  std::span<float> parameters() { return buffer(model::BufferKind::parameter); }
  std::span<float> gradients() { return buffer(model::BufferKind::gradient); }

  /// Returns a copy of the elements of one tensor. `all` is parameters() or gradients().
  std::vector<float> tensor(std::span<const float> all, std::string const& name) const {
    const Slice slice = slice_of(name);
    return {all.begin() + static_cast<std::ptrdiff_t>(slice.offset),
            all.begin() + static_cast<std::ptrdiff_t>(slice.end())};
  }
  model::TensorLayout const& layout() const { return layout_; }
  /// Returns the elements of a tensor of the model, given its name.
  Slice slice_of(std::string const& name) const {
    return std::ranges::find(layout_, name, &model::Gradient::name)->slice();
  }

  std::optional<StepLane> lane;

 private:
  model::TensorLayout layout_;
  model::StepGraph graph_;
  StepPlaces places_;
  kernels::Floats memory_;
  std::optional<CompiledStep> step_;
  std::vector<std::unique_ptr<CommunicationLane>> communication_;
};

/// Returns how many elements differ. NaN differs from everything. If the lengths differ, the result is more
/// than half of the largest number of its type.
inline std::size_t different(std::span<const float> a, std::span<const float> b) {
  std::size_t count = a.size() == b.size() ? 0 : std::numeric_limits<std::size_t>::max() / 2;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += !(a[i] == b[i]);
  return count;
}

}  // namespace ddproxy
