// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/types.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy {

/// Fills `weights` [parameters], assigned: uniform numbers of the standard deviations with which GPT-2 starts
/// (0.02, the projections back into the residual stream 0.02 / sqrt(2 layers)), the norms' weights about 1.
/// Element i of a tensor depends only on `seed`, the tensor's place and i. Biases are not zero, so that their
/// part in the step is seen.
void initialise_weights(kernels::Space const& exec, model::Shape const& shape,
                        model::BackwardPass const& pass, std::uint32_t seed, kernels::Floats const& weights);

}  // namespace ddproxy
