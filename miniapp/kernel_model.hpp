// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/embedding.hpp"
#include "miniapp/activations.hpp"
#include "miniapp/parameters.hpp"

namespace ddproxy {

/// Bytes of one rank's memory in compute mode "kernels".
struct MemoryNeed {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;    ///< the arena
  std::int64_t activations = 0;  ///< of all layers, and the tokens
  std::int64_t work = 0;         ///< gradients of activations, scratch
  std::int64_t total() const { return weights + gradients + activations + work; }
};

/// Throws std::invalid_argument, in one line, where the kernels do not have what the shape asks for or the
/// sequence is longer than the context.
void check_kernels_have(model::Shape const& shape, model::Tokens tokens);

/// What KernelBackward and its arena will allocate, without allocating it; the libraries' own memory is not
/// in it. `concurrency` is that of the execution space: the number of threads on a host. Throws as
/// check_kernels_have() does.
MemoryNeed kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency = 1);

/// A GPT-2 in the memory of the kernels: its parameters, one rank's tokens, and room for the activations of
/// one step.
class KernelModel {
 public:
  /// All ranks of one `seed` have the same weights, each `rank` has its own random tokens.
  KernelModel(kernels::Space const& exec, model::Shape const& shape, model::BackwardPass const& pass,
              model::Tokens tokens, std::uint32_t seed, int rank);

  model::Shape shape;
  model::Tokens tokens;
  ParameterLayout layout;
  kernels::Floats weights;      ///< [parameters] in ready order
  kernels::TokenIds inputs;     ///< [B, T]
  kernels::TokenIds targets;    ///< [B, T] the tokens that follow
  kernels::TokenGroups groups;  ///< of the inputs
  Slab activation_memory;
  Activations activations;

  kernels::Index rows() const { return tokens.count(); }
  float const* weight(std::string const& name) const { return weights.data() + layout.offset(name); }
  std::string head_weight() const { return shape.tied ? "wte.weight" : "lm_head.weight"; }
};

}  // namespace ddproxy
