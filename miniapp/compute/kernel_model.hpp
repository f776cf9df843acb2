// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernels/embedding.hpp"
#include "miniapp/compute/activations.hpp"
#include "miniapp/compute/parameters.hpp"
#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {

/// Identifies an operation of a GPT-2: its kind, its part, and its block if it belongs to one.
struct OperationKey {
  model::OperationKind kind;
  model::Part part = model::Part::none;
  std::optional<std::size_t> block = std::nullopt;
  auto operator<=>(OperationKey const&) const = default;
};

/// The indices of the first elements of an operation's weight and bias in ready order.
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
  std::map<OperationKey, ParameterPlaces> places;  ///< a tied head has the place of the token embedding
  kernels::Floats weights;      ///< [parameters] in the order in which their gradients become ready
  kernels::TokenIds inputs;     ///< [B, T]
  kernels::TokenIds targets;    ///< [B, T] the token that follows each input
  kernels::TokenGroups groups;  ///< positions of the inputs, grouped by token
  BumpAllocator activation_memory;
  Activations activations;

  kernels::Index rows() const { return tokens.count(); }
  /// Returns the weight of an operation, or its bias. Throws std::out_of_range if the model lacks it.
  float const* weight(OperationKey const& of) const { return weights.data() + places.at(of).weight; }
  float const* bias(OperationKey const& of) const { return weights.data() + places.at(of).bias; }
};

}  // namespace ddproxy
