// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/embedding.hpp"
#include "miniapp/compute/activations.hpp"
#include "miniapp/compute/parameters.hpp"
#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {

/// A GPT-2 in the memory of the kernels: its parameters, the tokens of one rank, and memory for the
/// activations of one step. It owns all of them.
class KernelModel {
 public:
  /// Allocates the memory and assigns weights and tokens. All ranks with the same `seed` have the same
  /// weights. Each `rank` has its own random tokens.
  KernelModel(kernels::Space const& exec, model::Shape const& shape, model::BackwardPass const& pass,
              model::Tokens tokens, std::uint32_t seed, int rank);

  model::Shape shape;
  model::Tokens tokens;
  model::TensorLayout layout;
  kernels::Floats weights;      ///< [parameters] in the order in which their gradients become ready
  kernels::TokenIds inputs;     ///< [B, T]
  kernels::TokenIds targets;    ///< [B, T] the token that follows each input
  kernels::TokenGroups groups;  ///< positions of the inputs, grouped by token
  BumpAllocator activation_memory;
  Activations activations;

  kernels::Index rows() const { return tokens.count(); }
  float const* weight(std::string const& name) const { return weights.data() + layout.of(name).offset; }
  std::string head_weight() const { return shape.tied ? "wte.weight" : "lm_head.weight"; }
};

}  // namespace ddproxy
