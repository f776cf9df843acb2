// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_model.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/compute/token_batch.hpp"

namespace ddproxy {

KernelModel::KernelModel(kernels::Space const& exec, model::Shape const& shape,
                         model::BackwardPass const& pass, model::Tokens tokens, std::uint32_t seed, int rank)
    : shape(shape),
      tokens(tokens),
      operations(pass.operations),
      places(operations.size()),
      weights(Kokkos::view_alloc("weights", Kokkos::WithoutInitializing), pass.gradients.elements()),
      activation_memory("activations", activation_buffers(shape, tokens)),
      activations(activation_memory, shape) {
  for (auto const& gradient : pass.gradients)
    (gradient.bias ? places[gradient.operation].bias : places[gradient.operation].weight) = gradient.offset;
  if (shape.tied) places[operation_of(model::OperationKind::head)].weight = places.back().weight;
  initialise_weights(exec, shape, pass, seed, weights);
  const TokenBatch drawn = draw_tokens(shape, tokens, 1, seed + static_cast<std::uint32_t>(rank)).front();
  inputs = kernels::copy_tokens("inputs", drawn.inputs);
  targets = kernels::copy_tokens("targets", drawn.targets);
  groups = kernels::group_tokens(drawn.inputs);
}

std::size_t KernelModel::operation_of(model::OperationKind kind, model::Part part,
                                      std::optional<std::size_t> block) const {
  const auto found = std::ranges::find_if(operations, [&](model::Operation const& each) {
    return each.kind == kind && each.part == part && each.block == block;
  });
  if (found == operations.end()) throw std::logic_error("the backward pass lacks an operation of the model");
  return static_cast<std::size_t>(found - operations.begin());
}

}  // namespace ddproxy
