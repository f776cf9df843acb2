// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/micro_batch.hpp"

#include <optional>
#include <set>
#include <utility>

namespace ddproxy::model {
namespace {

AccessMode mode_of(Use use) {
  if (use == Use::read) return AccessMode::read;
  return use == Use::assign ? AccessMode::assign : AccessMode::modify;
}

class MicroBatch {
 public:
  MicroBatch(GraphBuilder& builder, ForwardPass const& pass, TensorLayout const& layout, BufferId parameters,
             std::int64_t tokens, Checkpoint checkpoint)
      : pass_(pass), layout_(layout), parameters_(parameters), checkpoint_(checkpoint) {
    for (auto const& tensor : pass.activations) add_activation(builder, tensor, elements(tensor, tokens));
    for (auto const& tensor : pass.gradients) {
      elements_.push_back(elements(tensor, tokens));
      buffers_.push_back(
          builder.buffer({.kind = BufferKind::activation_gradient, .elements = elements_.back()}));
    }
  }

  std::vector<Task> build() {
    for (auto const& operation : pass_.operations) forward(operation, Phase::forward);
    std::optional<std::size_t> recomputed;
    for (auto operation = pass_.operations.rbegin(); operation != pass_.operations.rend(); ++operation) {
      const auto block = block_of(*operation);
      if (block && block != recomputed) recompute(*block);
      if (block) recomputed = block;
      backward(*operation);
    }
    mark_last_uses();
    return std::move(tasks_);
  }

 private:
  static std::size_t elements(TokenTensor const& tensor, std::int64_t tokens) {
    return static_cast<std::size_t>(tensor.features * tokens);
  }

  /// Adds the buffer of an activation. With checkpoints the n-th tensor of each block uses the buffer of the
  /// n-th tensor of block 0.
  void add_activation(GraphBuilder& builder, TokenTensor const& tensor, std::size_t elements) {
    elements_.push_back(elements);
    if (checkpoint_ == Checkpoint::layer && tensor.block) {
      if (tensor.block != block_) place_ = 0;
      block_ = tensor.block;
      if (place_ < slots_.size()) return buffers_.push_back(slots_[place_++]);
    }
    buffers_.push_back(builder.buffer({.kind = BufferKind::activation, .elements = elements}));
    if (checkpoint_ == Checkpoint::none || !tensor.block) return;
    slots_.push_back(buffers_.back());
    ++place_;
  }

  /// Returns the block whose recomputed activations the backward counterpart of an operator reads. Returns
  /// nothing if the counterpart reads no recomputed activations.
  std::optional<std::size_t> block_of(ForwardOperation const& operation) const {
    if (checkpoint_ == Checkpoint::none) return std::nullopt;
    for (const std::size_t tensor : operation.saved) {
      if (pass_.activations[tensor].block) return pass_.activations[tensor].block;
    }
    return std::nullopt;
  }

  /// Returns an access to a whole tensor. `tensor` counts the activations first, then their gradients.
  Access access(std::size_t tensor, AccessMode mode) const {
    return {.buffer = buffers_[tensor],
            .slice = {0, elements_[tensor]},
            .mode = mode,
            .content = Content::activation,
            .model = tensor};
  }

  void read_parameters(std::vector<Access>& accesses, std::vector<std::size_t> const& tensors) const {
    for (const std::size_t tensor : tensors) {
      accesses.push_back({.buffer = parameters_,
                          .slice = layout_[tensor].slice(),
                          .mode = AccessMode::read,
                          .content = Content::parameter,
                          .model = layout_[tensor].offset});
    }
  }

  void forward(ForwardOperation const& operation, Phase phase) {
    std::vector<Access> accesses;
    for (auto const& [tensor, use] : operation.activations) accesses.push_back(access(tensor, mode_of(use)));
    read_parameters(accesses, operation.parameters);
    add(operation, phase, std::move(accesses));
  }

  void recompute(std::size_t block) {
    for (auto const& operation : pass_.operations) {
      if (operation.block == block) forward(operation, Phase::recompute);
    }
  }

  void backward(ForwardOperation const& operation) {
    std::vector<Access> accesses;
    for (const std::size_t tensor : operation.saved) accesses.push_back(access(tensor, AccessMode::read));
    for (auto const& [tensor, use] : operation.gradients)
      accesses.push_back(access(pass_.activations.size() + tensor, mode_of(use)));
    read_parameters(accesses, operation.weights);
    add(operation, Phase::backward, std::move(accesses));
  }

  void add(ForwardOperation const& operation, Phase phase, std::vector<Access> accesses) {
    tasks_.push_back(
        {.work = Compute{OperatorId{operation.operation}, phase}, .accesses = std::move(accesses)});
  }

  /// Marks an access as the last use of a buffer if the next access overwrites the buffer, or if there is no
  /// next access.
  void mark_last_uses() {
    std::set<BufferId> used_later;
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
      for (Access& access : task->accesses) {
        if (access.content != Content::activation) continue;
        access.last_use = !used_later.contains(access.buffer);
        if (access.mode == AccessMode::assign)
          used_later.erase(access.buffer);
        else
          used_later.insert(access.buffer);
      }
    }
  }

  ForwardPass const& pass_;
  TensorLayout const& layout_;
  BufferId parameters_;
  Checkpoint checkpoint_;
  std::vector<std::size_t> elements_;  // [tensor]: the activations, then their gradients
  std::vector<BufferId> buffers_;      // [tensor]
  std::vector<BufferId> slots_;  // [position in a block]: buffers that blocks share with Checkpoint::layer
  std::optional<std::size_t> block_;  // block of the tensor that was added last
  std::size_t place_ = 0;
  std::vector<Task> tasks_;
};

}  // namespace

std::vector<Task> micro_batch(GraphBuilder& builder, ForwardPass const& pass, TensorLayout const& layout,
                              BufferId parameters, std::int64_t tokens, Checkpoint checkpoint) {
  return MicroBatch(builder, pass, layout, parameters, tokens, checkpoint).build();
}

}  // namespace ddproxy::model
