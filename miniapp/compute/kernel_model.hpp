// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/embedding.hpp"
#include "miniapp/compute/activations.hpp"
#include "miniapp/compute/parameters.hpp"
#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {

/// The places of an operator's parameters in an array with all parameters or all gradients: the indices of
/// their first elements. A place is unused if the operator has no such parameter.
struct ParameterPlaces {
  std::size_t weight = 0, bias = 0;
};

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
  std::vector<model::Operation> operations;  ///< of the backward pass
  std::vector<ParameterPlaces> places;       ///< [operation]; a tied head uses the token embedding
  kernels::Floats weights;      ///< [parameters] in the order in which their gradients become ready
  kernels::TokenIds inputs;     ///< [B, T]
  kernels::TokenIds targets;    ///< [B, T] the token that follows each input
  kernels::TokenGroups groups;  ///< positions of the inputs, grouped by token
  BumpAllocator activation_memory;
  Activations activations;

  kernels::Index rows() const { return tokens.count(); }
  /// Returns the index of the operation with this kind, part and block in the backward pass. Throws
  /// std::logic_error if there is none.
  std::size_t operation_of(model::OperationKind kind, model::Part part = model::Part::none,
                           std::optional<std::size_t> block = std::nullopt) const;
  /// Returns the weight or the bias of an operation, given its index.
  float const* weight(std::size_t operation) const { return weights.data() + places[operation].weight; }
  float const* bias(std::size_t operation) const { return weights.data() + places[operation].bias; }
};

}  // namespace ddproxy
