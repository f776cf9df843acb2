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
  bool tied = true;    ///< the output head shares its weight with the token embedding
  bool biases = true;  ///< linear maps and norms have biases
  Activation activation = Activation::gelu;
  Norm norm = Norm::layernorm;
  Positions positions = Positions::learned;
  Qkv qkv = Qkv::fused;
  bool operator==(Shape const&) const = default;
};

/// A named shape.
struct Preset {
  std::string_view name;
  Shape shape;
};

/// Sizes from Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, table 2. `tiny` is
/// for tests.
inline constexpr std::array<Preset, 5> presets{{
    {"tiny", {2, 64, 4, 256, 256, 32}},
    {"gpt2", {12, 768, 12, 3072, 50257, 1024}},
    {"gpt2-medium", {24, 1024, 16, 4096, 50257, 1024}},
    {"gpt2-large", {36, 1280, 20, 5120, 50257, 1024}},
    {"gpt2-xl", {48, 1600, 25, 6400, 50257, 1024}},
}};

/// Returns the preset's shape. Throws std::invalid_argument that lists the known presets.
Shape find_preset(std::string_view name);

/// Throws std::invalid_argument that names the first dimension that is not positive or does not fit the
/// others.
void check(Shape const& shape);

/// What an operation of the backward pass does.
enum class OperationKind {
  cross_entropy,   ///< logits -> gradient of the logits
  linear,          ///< gradients of bias, weight and input of a linear map `in` -> `out`
  head,            ///< like linear, for the output head; completes its weight only if the model is not tied
  norm,            ///< layer norm or RMS norm; adds to the gradient of the residual stream
  activation,      ///< GELU, or the product in SwiGLU
  attention,       ///< causal scaled dot-product attention
  position_table,  ///< gradient of the position embedding
  token_table,     ///< gradient of the token embedding; added to the head's gradient in a tied model
};

/// The part of a layer whose parameters an operation uses, named as in Hugging Face's GPT-2. `none` also
/// marks operations that no kernel computes.
enum class Part { none, ln_1, c_attn, attn_c_proj, ln_2, c_fc, mlp_c_proj, ln_f };

/// One operation of the backward pass. Operations are listed in the order in which they run.
struct Operation {
  std::string name;   ///< unique, for instance "h.3.mlp.c_proj"
  std::string layer;  ///< "lm_head", "ln_f", "h.3" or "embedding"
  OperationKind kind;
  std::int64_t in = 0;     ///< input features of a linear map, or of any other operation
  std::int64_t out = 0;    ///< output features
  Part part = Part::none;  ///< set for norms and for linear maps in blocks
  std::size_t block = 0;   ///< number of the transformer block; 0 outside of blocks
};

/// The gradient of one parameter tensor.
struct Gradient {
  std::string name;  ///< as in Hugging Face's GPT-2 without the prefix, for instance "h.3.mlp.c_proj.bias"
  std::string layer;
  std::int64_t numel;     ///< elements
  std::size_t operation;  ///< index of the operation that completes the gradient
  bool bias = false;      ///< true for the bias of a linear map or a norm
};

/// The operations of a backward pass and the gradients that they complete.
struct BackwardPass {
  std::vector<Operation> operations;
  std::vector<Gradient> gradients;  ///< in ready order: by operation; the bias before the weight
};

/// Returns the backward pass of a model, last layer first. Of the embeddings, wpe comes before wte; a tied
/// token embedding is the last gradient. Throws as check() does.
BackwardPass backward_pass(Shape const& shape);

/// Returns the number of parameters: the sum of the elements of all gradients.
std::int64_t parameters(BackwardPass const& pass);

}  // namespace ddproxy::model
