// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddproxy::model {

enum class Activation { gelu, swiglu };
enum class Norm { layernorm, rmsnorm };
enum class Positions { learned, none };
enum class Qkv { fused, separate };

/// Dimensions of a decoder-only transformer of the GPT-2 class.
struct Shape {
  std::int64_t layers = 0;
  std::int64_t d_model = 0;
  std::int64_t heads = 0;
  std::int64_t d_ff = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  bool tied = true;    ///< the output head's weight is the token embedding
  bool biases = true;  ///< of the linear maps and the norms
  Activation activation = Activation::gelu;
  Norm norm = Norm::layernorm;
  Positions positions = Positions::learned;
  Qkv qkv = Qkv::fused;
  bool operator==(Shape const&) const = default;
};

struct Preset {
  std::string_view name;
  Shape shape;
};

/// Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, table 2; `tiny` is for tests.
inline constexpr std::array<Preset, 5> presets{{
    {"tiny", {2, 64, 4, 256, 256, 32}},
    {"gpt2", {12, 768, 12, 3072, 50257, 1024}},
    {"gpt2-medium", {24, 1024, 16, 4096, 50257, 1024}},
    {"gpt2-large", {36, 1280, 20, 5120, 50257, 1024}},
    {"gpt2-xl", {48, 1600, 25, 6400, 50257, 1024}},
}};

/// The preset's shape. Throws std::invalid_argument, naming the presets there are.
Shape find_preset(std::string_view name);

/// Throws std::invalid_argument naming the first dimension that is not positive or does not fit the others.
void check(Shape const& shape);

/// What an operation of the backward pass does.
enum class OperationKind {
  cross_entropy,   ///< logits -> gradient of the logits
  linear,          ///< gradients of bias, weight and input of a linear map `in` -> `out`
  head,            ///< as linear, for the output head; completes its weight only where the model is not tied
  norm,            ///< layer norm or RMS norm; adds to the residual stream's gradient
  activation,      ///< GELU, or SwiGLU's product
  attention,       ///< causal scaled dot-product attention
  position_table,  ///< gradient of the position embedding
  token_table,     ///< gradient of the token embedding; added to the head's where the model is tied
};

/// The part of a layer whose parameters an operation uses, as Hugging Face's GPT-2 calls it; `none` also for
/// those that no kernel computes.
enum class Part { none, ln_1, c_attn, attn_c_proj, ln_2, c_fc, mlp_c_proj, ln_f };

/// One operation of the backward pass, in the order in which they run.
struct Operation {
  std::string name;   ///< unique, for instance "h.3.mlp.c_proj"
  std::string layer;  ///< "lm_head", "ln_f", "h.3" or "embedding"
  OperationKind kind;
  std::int64_t in = 0;     ///< features of the input of a linear map, else of the operation
  std::int64_t out = 0;    ///< features of the output
  Part part = Part::none;  ///< of linear maps in blocks and of norms
  std::size_t block = 0;   ///< number of the transformer block; 0 outside of blocks
};

/// The gradient of one parameter tensor.
struct Gradient {
  std::string name;  ///< as in Hugging Face's GPT-2 without the prefix, for instance "h.3.mlp.c_proj.bias"
  std::string layer;
  std::int64_t numel;     ///< elements
  std::size_t operation;  ///< index of the operation that completes it
  bool bias = false;      ///< of a linear map or a norm
};

struct BackwardPass {
  std::vector<Operation> operations;
  std::vector<Gradient> gradients;  ///< in ready order: by operation, within one the bias before the weight
};

/// The backward pass of a model, last layer first; wpe before wte, a tied token embedding last. Throws as
/// check() does.
BackwardPass backward_pass(Shape const& shape);

/// Number of parameters: the sum over all gradients' elements.
std::int64_t parameters(BackwardPass const& pass);

}  // namespace ddproxy::model
