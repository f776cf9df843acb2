// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/forward_pass.hpp"

#include <stdexcept>
#include <utility>

namespace ddproxy::model {
namespace {

class ForwardBuilder {
 public:
  explicit ForwardBuilder(Shape const& shape)
      : shape_(shape), backward_(backward_pass(shape)), fused_(shape.qkv == Qkv::fused) {
    const std::int64_t d = shape.d_model, keys = shape.key_features();
    d_residual_ = gradient("residual", d, true);
    d_branch_ = gradient("branch", d);
    if (fused_) {
      d_qkv_ = {gradient("qkv", d + 2 * keys)};
    } else {
      d_qkv_ = {gradient("q", d), gradient("k", keys), gradient("v", keys)};
    }
    d_wide_ = gradient("wide", shape.d_ff);
    if (gated()) d_gate_ = gradient("gate", shape.d_ff);
    d_logits_ = gradient("logits", shape.vocabulary, true);
  }

  ForwardPass build() {
    for (std::size_t o = backward_.operations.size(); o-- > 0;) {
      at_ = &pass_.operations.emplace_back(ForwardOperation{.operation = o});
      add(backward_.operations[o]);
    }
    add_parameters();
    return std::move(pass_);
  }

 private:
  bool gated() const { return shape_.activation == Activation::swiglu; }

  std::size_t gradient(char const* name, std::int64_t features, bool stays_fp32 = false) {
    pass_.gradients.push_back({name, features, std::nullopt, stays_fp32});
    return pass_.gradients.size() - 1;
  }

  /// Adds a tensor that the current operator assigns. Returns its index in ForwardPass::activations.
  std::size_t output(std::string name, std::int64_t features, std::optional<std::size_t> block,
                     bool stays_fp32 = false) {
    pass_.activations.push_back({std::move(name), features, block, stays_fp32});
    at_->activations.push_back({pass_.activations.size() - 1, Use::assign});
    if (block) at_->block = block;
    return pass_.activations.size() - 1;
  }

  void reads(std::size_t tensor) { at_->activations.push_back({tensor, Use::read}); }
  /// Records that the current operator and its backward counterpart read a tensor.
  void saves(std::size_t tensor) {
    reads(tensor);
    at_->saved.push_back(tensor);
  }
  void on_gradient(std::size_t tensor, Use use) { at_->gradients.push_back({tensor, use}); }

  void add(Operation const& operation) {
    switch (operation.kind) {
      case OperationKind::token_table:
        stream_ = output("h.0.input", shape_.d_model, std::nullopt, true);
        return on_gradient(d_residual_, Use::read);
      case OperationKind::position_table:
        at_->activations.push_back({stream_, Use::modify});
        return on_gradient(d_residual_, Use::read);
      case OperationKind::norm:
        return norm(operation);
      case OperationKind::linear:
        return linear(operation);
      case OperationKind::rope:
        return rope(operation);
      case OperationKind::attention:
        return attention(operation);
      case OperationKind::activation:
        return activation(operation);
      case OperationKind::head:
        return head();
      case OperationKind::cross_entropy:
        return loss();
    }
    throw std::logic_error("forward pass: the kind of this operation is unknown: " + operation.name);
  }

  void norm(Operation const& operation) {
    const bool last = operation.part == Part::ln_f;
    saves(stream_);
    at_->saved.push_back(output(operation.name + ".statistics", shape_.norm == Norm::layernorm ? 2 : 1,
                                operation.block, true));
    normed_ = output(operation.name, shape_.d_model, operation.block);
    on_gradient(d_branch_, Use::read);
    on_gradient(d_residual_, last ? Use::assign : Use::modify);
  }

  void linear(Operation const& operation) {
    switch (operation.part) {
      case Part::c_attn:
        return map_of_norm(operation, {d_qkv_[0], Use::assign}, &qkv_);
      case Part::q_proj:
        return map_of_norm(operation, {d_qkv_[0], Use::modify}, &qkv_);
      case Part::k_proj:
        return map_of_norm(operation, {d_qkv_[1], Use::modify}, &qkv_);
      case Part::v_proj:
        return map_of_norm(operation, {d_qkv_[2], Use::assign}, &qkv_);
      case Part::c_gate:
        return map_of_norm(operation, {*d_gate_, Use::modify}, &hidden_);
      case Part::c_fc:
        return map_of_norm(operation, {d_wide_, Use::assign}, &hidden_);
      case Part::attn_c_proj:
        return end_of_branch(d_branch_, layer(operation) + ".middle", operation.block);
      default:
        return end_of_branch(d_wide_, input_behind(operation), std::nullopt);
    }
  }

  /// Describes a linear layer that reads a norm's output. `from.tensor` is the gradient of the layer's
  /// result. `from.use` is how the backward counterpart of the layer changes the gradient of the norm's
  /// output. Several layers can read the same norm: the first counterpart that runs assigns this gradient,
  /// the later ones add to it.
  void map_of_norm(Operation const& operation, TensorUse from, std::vector<std::size_t>* results) {
    saves(normed_);
    results->push_back(output(operation.name, operation.out, operation.block));
    on_gradient(from.tensor, Use::read);
    on_gradient(d_branch_, from.use);
  }

  /// Describes a linear layer whose result is added to the residual stream. The sum is a new tensor.
  void end_of_branch(std::size_t d_input, std::string name, std::optional<std::size_t> block) {
    saves(branch_);
    reads(stream_);
    stream_ = output(std::move(name), shape_.d_model, block, true);
    on_gradient(d_residual_, Use::read);
    on_gradient(d_input, Use::assign);
  }

  void rope(Operation const& operation) {
    at_->block = operation.block;
    const std::size_t rotated = fused_ ? 1 : 2;  // the values are not rotated
    for (std::size_t i = 0; i < rotated; ++i) {
      at_->activations.push_back({qkv_[i], Use::modify});
      on_gradient(d_qkv_[i], Use::modify);
    }
  }

  void attention(Operation const& operation) {
    for (const std::size_t tensor : std::exchange(qkv_, {})) saves(tensor);
    at_->saved.push_back(output(layer(operation) + ".attn.log_sum", shape_.heads, operation.block, true));
    branch_ = output(operation.name, operation.out, operation.block);
    at_->saved.push_back(branch_);
    on_gradient(d_branch_, Use::read);
    for (const std::size_t tensor : d_qkv_) on_gradient(tensor, Use::assign);
  }

  /// Describes an activation function. The gradient of its input overwrites the gradient of its result.
  void activation(Operation const& operation) {
    for (const std::size_t tensor : std::exchange(hidden_, {})) saves(tensor);
    branch_ = output(operation.name, operation.out, operation.block);
    on_gradient(d_wide_, Use::modify);
    if (gated()) on_gradient(*d_gate_, Use::assign);
  }

  void head() {
    saves(normed_);
    logits_ = output("logits", shape_.vocabulary, std::nullopt, true);
    on_gradient(d_logits_, Use::read);
    on_gradient(d_branch_, Use::assign);
  }

  void loss() {
    saves(logits_);
    at_->saved.push_back(output("log_sum", 1, std::nullopt, true));
    output("loss", 1, std::nullopt, true);
    on_gradient(d_logits_, Use::assign);
  }

  std::string layer(Operation const& operation) const { return "h." + std::to_string(*operation.block); }
  std::string input_behind(Operation const& operation) const {
    const std::size_t next = *operation.block + 1;
    return static_cast<std::int64_t>(next) == shape_.layers ? "last" : "h." + std::to_string(next) + ".input";
  }

  void add_parameters() {
    const std::size_t last = backward_.operations.size() - 1;
    for (std::size_t g = 0; g < backward_.gradients.size(); ++g) {
      Gradient const& gradient = backward_.gradients[g];
      ForwardOperation& operation = pass_.operations[last - gradient.operation];
      operation.parameters.push_back(g);
      const OperationKind kind = backward_.operations[gradient.operation].kind;
      const bool table = kind == OperationKind::token_table || kind == OperationKind::position_table;
      if (!table && !gradient.bias) operation.weights.push_back(g);
    }
    if (!shape_.tied) return;
    for (ForwardOperation& operation : pass_.operations) {
      if (backward_.operations[operation.operation].kind != OperationKind::head) continue;
      operation.parameters.push_back(backward_.gradients.size() - 1);
      operation.weights.push_back(backward_.gradients.size() - 1);
    }
  }

  Shape const& shape_;
  BackwardPass backward_;
  bool fused_;
  ForwardPass pass_;
  ForwardOperation* at_ = nullptr;  // the operator that is being added
  // Gradients of activations.
  std::size_t d_residual_ = 0, d_branch_ = 0, d_wide_ = 0, d_logits_ = 0;
  std::optional<std::size_t> d_gate_;
  std::vector<std::size_t> d_qkv_;  // one tensor, or one each for q, k and v
  // Activations that later operators read.
  std::size_t stream_ = 0, normed_ = 0, branch_ = 0, logits_ = 0;
  std::vector<std::size_t> qkv_, hidden_;
};

}  // namespace

ForwardPass forward_pass(Shape const& shape) {
  return ForwardBuilder(shape).build();
}

}  // namespace ddproxy::model
