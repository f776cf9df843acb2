// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <optional>

#include "model/step/graph_builder.hpp"
#include "steps.hpp"

namespace ddproxy::model {

inline constexpr CommunicatorId world{0};

inline Communicator all_of(std::size_t ranks) {
  std::vector<std::size_t> group(ranks);
  std::iota(group.begin(), group.end(), std::size_t{0});
  return {{group}};
}

inline std::size_t padded(std::size_t elements, std::size_t parts) {
  return (elements + parts - 1) / parts * parts;
}

/// Builds the forward and backward tasks of n layers, with their activations. Operator l is layer l. Its
/// output is activation l, and what it keeps for its backward pass is activation n + l.
class LayerTasks {
 public:
  LayerTasks(GraphBuilder& builder, Layers const& model, int micro_batches, bool checkpoint = false)
      : builder_(builder), model_(model), checkpoint_(checkpoint) {
    for (int m = 0; m < micro_batches; ++m) {
      gradient_.push_back(buffer(BufferKind::activation_gradient));
      for (std::size_t l = 0; l < model.sizes.size(); ++l) {
        outputs_.push_back(buffer(BufferKind::activation));
        kept_.push_back(checkpoint && !kept_.empty() ? kept_.front() : buffer(BufferKind::activation));
      }
    }
  }

  TaskId forward(std::size_t l, int m, std::vector<Access> weights) {
    weights.push_back(activation(outputs_[at(l, m)], l, AccessMode::assign));
    return compute(l, m, Phase::forward, std::move(weights));
  }

  /// Adds a backward task. `accesses` has the weights that the task reads, and the gradients that it assigns
  /// or contributes to.
  TaskId backward(std::size_t l, int m, std::vector<Access> accesses) {
    if (checkpoint_) {
      std::vector<Access> weights;
      for (Access const& access : accesses) {
        if (access.content == Content::parameter)
          weights.push_back({access}), weights.back().last_use = false;
      }
      compute(l, m, Phase::recompute, std::move(weights));
    }
    const bool first = l + 1 == model_.sizes.size();
    if (first) accesses.push_back(activation(outputs_[at(l, m)], l, AccessMode::read, true));
    if (l > 0) accesses.push_back(activation(outputs_[at(l - 1, m)], l - 1, AccessMode::read, true));
    accesses.push_back(activation(kept_[at(l, m)], model_.sizes.size() + l, AccessMode::read, true));
    accesses.push_back(activation(gradient_[static_cast<std::size_t>(m)], l,
                                  first ? AccessMode::assign : AccessMode::modify, l == 0));
    return builder_.task(
        {.work = Compute{OperatorId{l}, Phase::backward, m}, .accesses = std::move(accesses)});
  }

 private:
  BufferId buffer(BufferKind kind) { return builder_.buffer({.kind = kind, .elements = 1}); }
  std::size_t at(std::size_t l, int m) const { return static_cast<std::size_t>(m) * model_.sizes.size() + l; }
  static Access activation(BufferId id, std::size_t op, AccessMode mode, bool last = false) {
    return {.buffer = id,
            .slice = {0, 1},
            .mode = mode,
            .content = Content::activation,
            .model = op,
            .last_use = last};
  }

  TaskId compute(std::size_t l, int m, Phase phase, std::vector<Access> accesses) {
    if (l > 0) accesses.push_back(activation(outputs_[at(l - 1, m)], l - 1, AccessMode::read));
    accesses.push_back(activation(kept_[at(l, m)], model_.sizes.size() + l, AccessMode::assign));
    return builder_.task({.work = Compute{OperatorId{l}, phase, m}, .accesses = std::move(accesses)});
  }

  GraphBuilder& builder_;
  Layers const& model_;
  bool checkpoint_;
  std::vector<BufferId> outputs_;   // [micro-batch][layer]
  std::vector<BufferId> kept_;      // [micro-batch][layer]; one buffer for all if layers are recomputed
  std::vector<BufferId> gradient_;  // [micro-batch]
};

/// Returns the gradient of each layer, with the operators that contribute to it.
inline std::vector<ExpectedGradient> expected_gradients(Layers const& model) {
  std::vector<ExpectedGradient> gradients;
  for (std::size_t l = 0; l < model.sizes.size(); ++l) {
    gradients.push_back({{model.offset(l), model.sizes[l]}, {OperatorId{l}}});
  }
  if (model.tied) gradients.front().operators.push_back(OperatorId{model.sizes.size() - 1});
  return gradients;
}

/// Returns the task of a collective. Without `lane` the lane has the number of the communicator.
inline Task collective(Verb verb, CommunicatorId on, std::vector<Access> accesses,
                       Reduction reduction = Reduction::average,
                       std::optional<std::size_t> lane = std::nullopt) {
  return {.work = Collective{.verb = verb, .communicator = on, .reduction = reduction},
          .accesses = std::move(accesses),
          .lane = {LaneKind::communication, lane.value_or(index(on))}};
}

}  // namespace ddproxy::model
