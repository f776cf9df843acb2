// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_backward.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/cross_entropy.hpp"
#include "kernels/gelu.hpp"
#include "kernels/linear.hpp"
#include "kernels/residual.hpp"
#include "miniapp/compute/kernel_forward.hpp"

namespace ddproxy {
namespace {

model::Shape const& checked(model::Shape const& shape, model::BackwardPass const& pass, model::Tokens tokens,
                            kernels::Floats const& gradients) {
  check_kernels_have(shape, tokens);
  const std::int64_t elements = model::parameters(pass);
  if (static_cast<std::int64_t>(gradients.size()) != elements)
    throw std::invalid_argument("the memory of the gradients has " + std::to_string(gradients.size()) +
                                " elements, but the model has " + std::to_string(elements) +
                                " parameters; the two numbers must be equal");
  return shape;
}

}  // namespace

KernelBackward::KernelBackward(model::Shape const& shape, model::BackwardPass const& pass,
                               model::Tokens tokens, std::uint32_t seed, int rank, kernels::Floats gradients,
                               kernels::Floats memory, kernels::Space exec)
    : KernelLane(std::move(exec), std::move(memory), most_launches(pass)),
      gradients_(std::move(gradients)),
      gpt_(exec_, checked(shape, pass, tokens, gradients_), pass, tokens, seed, rank),
      work_memory_("work buffers", work_buffers(shape, tokens, exec_.concurrency())),
      work_(work_memory_) {
  for (auto const& operation : pass.operations) steps_.push_back(step(operation));
  renew();
}

void KernelBackward::renew() {
  run_forward(exec_, gpt_, work_.branch, work_.scratch);
  fence();
}

KernelBackward::Step KernelBackward::step(model::Operation const& operation) {
  const ParameterPlaces at = gpt_.places[{operation.kind, operation.part, operation.block}];
  float const* const weight = gpt_.weights.data() + at.weight;
  float* const out = gradients_.data() + at.weight;
  switch (operation.kind) {
    case model::OperationKind::cross_entropy:
      return [this] { loss(); };
    case model::OperationKind::head:
      return [=, this] { head(weight, out); };
    case model::OperationKind::norm:
      return norm_step(operation, at);
    case model::OperationKind::linear:
      return linear_step(operation, at);
    case model::OperationKind::activation:
      return [this, &block = block_of(operation)] { gelu(block); };
    case model::OperationKind::attention:
      return [this, &block = block_of(operation)] { attention(block); };
    case model::OperationKind::position_table:
      return [=, this] { position_table(out); };
    case model::OperationKind::token_table:
      return [=, this] { token_table(out); };
    case model::OperationKind::rope:  // check_kernels_have() refuses such models
      break;
  }
  throw std::logic_error("no kernel for the operation " + operation.name);
}

BlockActivations const& KernelBackward::block_of(model::Operation const& operation) const {
  return gpt_.activations.blocks.at(operation.block.value());
}

KernelBackward::NormOperands KernelBackward::norm_operands(model::Operation const& operation) const {
  if (operation.part == model::Part::ln_f) return {gpt_.activations.last, gpt_.activations.ln_f_of};
  auto const& block = block_of(operation);
  if (operation.part == model::Part::ln_1) return {block.input, block.ln_1_of};
  return {block.middle, block.ln_2_of};
}

KernelBackward::Step KernelBackward::norm_step(model::Operation const& operation, ParameterPlaces at) {
  const auto [x, statistics] = norm_operands(operation);
  float const* const weight = gpt_.weights.data() + at.weight;
  const kernels::LayernormGradients out{gradients_.data() + at.weight, gradients_.data() + at.bias,
                                        work_.residual};
  const bool first = operation.part == model::Part::ln_f;
  return [=, this, x = x, statistics = statistics] {
    const kernels::Index columns = gpt_.shape.d_model;
    // ln_f is the first operator that adds to the gradient of the residual stream.
    if (first) kernels::fill_zero(exec_, gpt_.rows() * columns, out.x);
    kernels::layernorm_backward(exec_, gpt_.rows(), columns, x, statistics, weight, work_.branch, out,
                                work_.scratch);
  };
}

KernelBackward::LinearOperands KernelBackward::linear_operands(model::Operation const& operation) const {
  auto const& block = block_of(operation);
  using model::Part;
  if (operation.part == Part::mlp_c_proj) return {block.gelu, work_.residual, work_.wide};
  if (operation.part == Part::c_fc) return {block.ln_2, work_.wide, work_.branch};
  if (operation.part == Part::attn_c_proj) return {block.attention, work_.residual, work_.branch};
  if (operation.part == Part::c_attn) return {block.ln_1, work_.qkv, work_.branch};
  throw std::logic_error("no kernel for the linear map " + operation.name);
}

KernelBackward::Step KernelBackward::linear_step(model::Operation const& operation, ParameterPlaces at) {
  const LinearOperands operands = linear_operands(operation);
  const kernels::LinearSize size{gpt_.rows(), operation.in, operation.out};
  float const* const weight = gpt_.weights.data() + at.weight;
  const kernels::LinearGradients out{gradients_.data() + at.bias, gradients_.data() + at.weight, operands.dx};
  return [=, this] {
    kernels::linear_backward(exec_, size, operands.x, weight, operands.dy, out, work_.scratch);
  };
}

void KernelBackward::loss() const {
  auto const& a = gpt_.activations;
  const float scale = 1 / static_cast<float>(gpt_.rows());
  kernels::cross_entropy_backward(exec_, gpt_.rows(), gpt_.shape.vocabulary, a.logits, a.log_sum,
                                  gpt_.targets.data(), scale, work_.logits);
}

void KernelBackward::head(float const* weight, float* out) const {
  kernels::head_backward(exec_, {gpt_.rows(), gpt_.shape.d_model, gpt_.shape.vocabulary},
                         gpt_.activations.ln_f, weight, work_.logits, out, work_.branch);
}

void KernelBackward::gelu(BlockActivations const& block) const {
  kernels::gelu_backward(exec_, gpt_.rows() * gpt_.shape.d_ff, block.fc, work_.wide, work_.wide);
}

void KernelBackward::attention(BlockActivations const& block) const {
  kernels::attention_backward(exec_, attention_size(gpt_.shape, gpt_.tokens),
                              {block.qkv, block.attention, block.attention_log_sum}, work_.branch, work_.qkv,
                              work_.scratch);
}

void KernelBackward::position_table(float* table) const {
  const kernels::EmbeddingSize size{gpt_.tokens.batch, gpt_.tokens.sequence, gpt_.shape.d_model};
  kernels::position_backward(exec_, size, gpt_.shape.context, work_.residual, table);
}

/// Computes the gradient of the token embedding. If the embedding is tied to the output head, the head has
/// assigned its share before, and the embedding adds to it. Otherwise the gradient starts at 0.
void KernelBackward::token_table(float* table) const {
  const kernels::Index columns = gpt_.shape.d_model;
  if (!gpt_.shape.tied) kernels::fill_zero(exec_, gpt_.shape.vocabulary * columns, table);
  kernels::token_backward(exec_, columns, gpt_.groups, gpt_.inputs.data(), work_.residual, table);
}

}  // namespace ddproxy
