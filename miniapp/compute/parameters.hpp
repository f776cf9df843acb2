// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernels/types.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Where each parameter tensor, or its gradient, stands in a flat array laid out in ready order.
class ParameterLayout {
 public:
  explicit ParameterLayout(model::BackwardPass const& pass);

  /// Elements before the tensor. A name that the model does not have is a std::logic_error.
  std::int64_t offset(std::string const& name) const;
  std::int64_t count() const { return count_; }

 private:
  std::map<std::string, std::int64_t> offsets_;
  std::int64_t count_ = 0;
};

/// Fills `weights` [parameters], assigned: uniform numbers of the standard deviations with which GPT-2 starts
/// (0.02, the projections back into the residual stream 0.02 / sqrt(2 layers)), the norms' weights about 1.
/// Element i of a tensor depends only on `seed`, the tensor's place and i. Biases are not zero, so that their
/// part in the step is seen.
void initialise_weights(kernels::Space const& exec, model::Shape const& shape,
                        model::BackwardPass const& pass, std::uint32_t seed, kernels::Floats const& weights);

}  // namespace ddproxy
