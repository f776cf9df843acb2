// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ddproxy::model {

enum class Activation { gelu, swiglu };
enum class Norm { layernorm, rmsnorm };
/// How the model knows the positions of tokens: from a learned table, from rotations of queries and keys
/// (RoPE: Su et al., "RoFormer", 2021), or not at all.
enum class Positions { learned, rope, none };
enum class Qkv { fused, separate };

/// Dimensions of a decoder-only transformer of the GPT-2 or the Llama class.
struct Shape {
  std::int64_t layers = 0;
  std::int64_t d_model = 0;
  std::int64_t heads = 0;
  std::int64_t d_ff = 0;
  std::int64_t vocabulary = 0;
  /// Largest number of tokens in a sequence.
  std::int64_t context = 0;
  bool tied = true;    ///< the output head shares its weight with the token embedding
  bool biases = true;  ///< linear layers and norms have biases
  Activation activation = Activation::gelu;
  Norm norm = Norm::layernorm;
  Positions positions = Positions::learned;
  Qkv qkv = Qkv::fused;
  /// Number of heads of keys and values, each shared by heads / kv_heads query heads (Ainslie et al., "GQA",
  /// 2023). 0: equal to `heads`.
  std::int64_t kv_heads = 0;
  double rope_theta = 10000;  ///< base of the rotations' wavelengths; only with Positions::rope
  bool operator==(Shape const&) const = default;

  std::int64_t head_size() const { return d_model / heads; }
  /// Returns the number of features of all keys of a token, which is also the number of features of all its
  /// values. For GPT-2 it is `d_model`.
  std::int64_t key_features() const { return (kv_heads > 0 ? kv_heads : heads) * head_size(); }
};

/// Checks that all dimensions are positive and fit each other. Throws std::invalid_argument that names the
/// first dimension for which this is not true.
void check(Shape const& shape);

}  // namespace ddproxy::model
