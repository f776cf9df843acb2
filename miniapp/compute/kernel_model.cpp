// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_model.hpp"

#include "miniapp/compute/token_batch.hpp"

namespace ddproxy {

KernelModel::KernelModel(kernels::Space const& exec, model::Shape const& shape,
                         model::BackwardPass const& pass, model::Tokens tokens, std::uint32_t seed, int rank)
    : shape(shape),
      tokens(tokens),
      weights(Kokkos::view_alloc("weights", Kokkos::WithoutInitializing), pass.gradients.elements()),
      activation_memory("activations", activation_buffers(shape, tokens)),
      activations(activation_memory, shape) {
  for (auto const& gradient : pass.gradients) {
    auto const& operation = pass.operations[gradient.operation];
    auto& place = places[{operation.kind, operation.part, operation.block}];
    (gradient.bias ? place.bias : place.weight) = gradient.offset;
  }
  if (shape.tied) places[{model::OperationKind::head}] = places[{model::OperationKind::token_table}];
  initialise_weights(exec, shape, pass, seed, weights);
  const TokenBatch drawn = draw_tokens(shape, tokens, 1, seed + static_cast<std::uint32_t>(rank)).front();
  inputs = kernels::copy_tokens("inputs", drawn.inputs);
  targets = kernels::copy_tokens("targets", drawn.targets);
  groups = kernels::group_tokens(drawn.inputs);
}

}  // namespace ddproxy
