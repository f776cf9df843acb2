// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "model/transformer/shape.hpp"

namespace ddproxy::model {

/// A named shape.
struct Preset {
  std::string_view name;
  Shape shape;
};

/// GPT-2: sizes from Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, table 2.
/// `tiny` is for tests.
inline constexpr std::array<Preset, 5> presets{{
    {"tiny", {2, 64, 4, 256, 256, 32}},
    {"gpt2", {12, 768, 12, 3072, 50257, 1024}},
    {"gpt2-medium", {24, 1024, 16, 4096, 50257, 1024}},
    {"gpt2-large", {36, 1280, 20, 5120, 50257, 1024}},
    {"gpt2-xl", {48, 1600, 25, 6400, 50257, 1024}},
}};

/// Returns a model of Stanford's course CS336, assignment 2: RMSNorm, separate q, k and v, no biases, an
/// output head of its own. With SwiGLU it has RoPE, and three matrices in each feed-forward layer. With GELU
/// it has learned positions, and two matrices in each feed-forward layer.
constexpr Shape cs336(std::int64_t layers, std::int64_t d_model, std::int64_t heads, std::int64_t d_ff,
                      Activation activation) {
  return {.layers = layers,
          .d_model = d_model,
          .heads = heads,
          .d_ff = d_ff,
          .vocabulary = 10000,
          .context = 128,
          .tied = false,
          .biases = false,
          .activation = activation,
          .norm = Norm::rmsnorm,
          .positions = activation == Activation::swiglu ? Positions::rope : Positions::learned,
          .qkv = Qkv::separate};
}

/// Models with RMSNorm and without biases: the five sizes of CS336, each with SwiGLU and with GELU, and
/// Llama-3-8B (Grattafiori et al., "The Llama 3 Herd of Models", 2024, table 3).
inline constexpr std::array<Preset, 11> llama_presets{{
    {"cs336-s", cs336(12, 768, 12, 3072, Activation::swiglu)},
    {"cs336-m", cs336(24, 1024, 16, 4096, Activation::swiglu)},
    {"cs336-l", cs336(36, 1280, 20, 5120, Activation::swiglu)},
    {"cs336-xl", cs336(48, 1600, 25, 6400, Activation::swiglu)},
    {"cs336-2.7b", cs336(32, 2560, 32, 10240, Activation::swiglu)},
    {"cs336-s-gelu", cs336(12, 768, 12, 3072, Activation::gelu)},
    {"cs336-m-gelu", cs336(24, 1024, 16, 4096, Activation::gelu)},
    {"cs336-l-gelu", cs336(36, 1280, 20, 5120, Activation::gelu)},
    {"cs336-xl-gelu", cs336(48, 1600, 25, 6400, Activation::gelu)},
    {"cs336-2.7b-gelu", cs336(32, 2560, 32, 10240, Activation::gelu)},
    {"llama3-8b",
     {.layers = 32,
      .d_model = 4096,
      .heads = 32,
      .d_ff = 14336,
      .vocabulary = 128256,
      .context = 8192,
      .tied = false,
      .biases = false,
      .activation = Activation::swiglu,
      .norm = Norm::rmsnorm,
      .positions = Positions::rope,
      .qkv = Qkv::separate,
      .kv_heads = 8,
      .rope_theta = 500000}},
}};

/// Returns the shape of the preset with this name, from `presets` or `llama_presets`. If no preset has this
/// name, throws std::invalid_argument with a list of all presets.
Shape find_preset(std::string_view name);

}  // namespace ddproxy::model
