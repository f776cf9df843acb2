// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/types.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Assigns uniform random numbers to weights [part.count]: the initial values of a part of the parameters.
/// `part` is the range of these parameters in ready order. It must not reach beyond the last parameter. The
/// standard deviations are the initial ones of GPT-2: 0.02, and 0.02 / sqrt(2 layers) for the projections
/// into the residual stream. The mean is 1 for the weights of the norms and 0 for all other parameters.
/// Biases are not zero, so that a mistake in their use changes the results. Element i of a tensor depends
/// only on `seed`, on the index of the tensor and on i. On a device the function returns when the kernels
/// are enqueued.
void initialise_weights(kernels::Space const& exec, model::Shape const& shape,
                        model::BackwardPass const& pass, std::uint32_t seed, model::Slice part,
                        float* weights);

}  // namespace ddproxy
