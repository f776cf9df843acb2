// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <vector>

#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Returns a small model of the Llama class: 8 features, 4 query heads, 2 key-value heads, 12 features in the
/// feed-forward layer.
inline Shape llama_shape(std::int64_t layers) {
  Shape shape{layers, 8, 4, 12, 20, 16, false, false};
  shape.activation = Activation::swiglu;
  shape.norm = Norm::rmsnorm;
  shape.positions = Positions::rope;
  shape.qkv = Qkv::separate;
  shape.kv_heads = 2;
  return shape;
}

/// Returns a small model of random size. The activation, the norm and the other choices of Shape are random,
/// too.
inline Shape random_variant(std::mt19937& random) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t heads = 2 * number(1, 3);
  Shape shape{number(1, 3), heads * 2 * number(1, 3), heads, number(1, 40), number(1, 60), 16};
  shape.tied = number(0, 1) == 1;
  shape.biases = number(0, 1) == 1;
  shape.activation = number(0, 1) == 1 ? Activation::swiglu : Activation::gelu;
  shape.norm = number(0, 1) == 1 ? Norm::rmsnorm : Norm::layernorm;
  shape.positions = static_cast<Positions>(number(0, 2));
  shape.qkv = number(0, 1) == 1 ? Qkv::separate : Qkv::fused;
  shape.kv_heads = number(0, 1) == 1 ? heads / 2 : 0;
  return shape;
}

/// Returns 52 small models: the preset tiny, a Llama, and 50 random ones. Every call returns the same models.
inline std::vector<Shape> shapes_of_all_kinds() {
  std::mt19937 random(1);
  std::vector<Shape> shapes{find_preset("tiny"), llama_shape(3)};
  for (int i = 0; i < 50; ++i) shapes.push_back(random_variant(random));
  return shapes;
}

}  // namespace ddproxy::model
