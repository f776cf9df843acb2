// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/gpt2.hpp"

#include <utility>

namespace ddproxy::model {
namespace {

/// Builds a backward pass: appends operations and the gradients that they complete.
class Builder {
 public:
  explicit Builder(Shape const& shape) : shape_(shape) {}

  /// Sets the layer of all operations appended later. `block` is empty outside of transformer blocks.
  void enter(std::string layer, std::optional<std::size_t> block = std::nullopt) {
    layer_ = std::move(layer);
    block_ = block;
  }

  void operation(std::string name, OperationKind kind, std::int64_t in, std::int64_t out,
                 Part part = Part::none) {
    pass_.operations.push_back({std::move(name), layer_, kind, in, out, part, block_});
  }

  /// Appends a gradient that the last appended operation completes.
  void gradient(std::string name, std::int64_t numel, bool bias = false) {
    pass_.gradients.push_back({std::move(name), layer_, numel, pass_.operations.size() - 1, bias});
  }

  void linear(char const* suffix, Part part, std::int64_t in, std::int64_t out) {
    const std::string name = layer_ + suffix;
    operation(name, OperationKind::linear, in, out, part);
    if (shape_.biases) gradient(name + ".bias", out, true);
    gradient(name + ".weight", in * out);
  }

  void norm(char const* suffix, Part part) {
    const std::string name = layer_ + suffix;
    operation(name, OperationKind::norm, shape_.d_model, shape_.d_model, part);
    if (shape_.biases && shape_.norm == Norm::layernorm) gradient(name + ".bias", shape_.d_model, true);
    gradient(name + ".weight", shape_.d_model);
  }

  BackwardPass take() { return std::move(pass_); }

 private:
  Shape const& shape_;
  std::string layer_;
  std::optional<std::size_t> block_;
  BackwardPass pass_;
};

void add_head(Builder& builder, Shape const& shape) {
  builder.enter("lm_head");
  builder.operation("lm_head.loss", OperationKind::cross_entropy, shape.vocabulary, shape.vocabulary);
  builder.operation("lm_head", OperationKind::head, shape.d_model, shape.vocabulary);
  if (!shape.tied) builder.gradient("lm_head.weight", shape.vocabulary * shape.d_model);
  builder.enter("ln_f");
  builder.norm("", Part::ln_f);
}

void add_mlp(Builder& builder, Shape const& shape, std::string const& layer) {
  const bool gated = shape.activation == Activation::swiglu;
  builder.linear(".mlp.c_proj", Part::mlp_c_proj, shape.d_ff, shape.d_model);
  builder.operation(layer + ".mlp.act", OperationKind::activation, gated ? 2 * shape.d_ff : shape.d_ff,
                    shape.d_ff);
  builder.linear(".mlp.c_fc", Part::c_fc, shape.d_model, shape.d_ff);
  if (gated) builder.linear(".mlp.c_gate", Part::c_gate, shape.d_model, shape.d_ff);
  builder.norm(".ln_2", Part::ln_2);
}

void add_attention(Builder& builder, Shape const& shape, std::string const& layer) {
  const std::int64_t d = shape.d_model, keys = shape.key_features();
  builder.linear(".attn.c_proj", Part::attn_c_proj, d, d);
  builder.operation(layer + ".attn.sdpa", OperationKind::attention, d + 2 * keys, d);
  if (shape.positions == Positions::rope)
    builder.operation(layer + ".attn.rope", OperationKind::rope, d + keys, d + keys);
  if (shape.qkv == Qkv::fused) {
    builder.linear(".attn.c_attn", Part::c_attn, d, d + 2 * keys);
  } else {
    builder.linear(".attn.v_proj", Part::v_proj, d, keys);
    builder.linear(".attn.k_proj", Part::k_proj, d, keys);
    builder.linear(".attn.q_proj", Part::q_proj, d, d);
  }
  builder.norm(".ln_1", Part::ln_1);
}

void add_embedding(Builder& builder, Shape const& shape) {
  builder.enter("embedding");
  if (shape.positions == Positions::learned) {
    builder.operation("embedding.wpe", OperationKind::position_table, shape.context, shape.d_model);
    builder.gradient("wpe.weight", shape.context * shape.d_model);
  }
  builder.operation("embedding.wte", OperationKind::token_table, shape.vocabulary, shape.d_model);
  builder.gradient("wte.weight", shape.vocabulary * shape.d_model);
}

}  // namespace

BackwardPass backward_pass(Shape const& shape) {
  check(shape);
  Builder builder(shape);
  add_head(builder, shape);
  for (std::int64_t layer = shape.layers - 1; layer >= 0; --layer) {
    const std::string name = "h." + std::to_string(layer);
    builder.enter(name, static_cast<std::size_t>(layer));
    add_mlp(builder, shape, name);
    add_attention(builder, shape, name);
  }
  add_embedding(builder, shape);
  return builder.take();
}

std::int64_t parameters(BackwardPass const& pass) {
  return static_cast<std::int64_t>(pass.gradients.elements());
}

}  // namespace ddproxy::model
