// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/activation_memory.hpp"

namespace ddproxy::model {

ActivationElements activation_elements(Shape const& shape) {
  check(shape);
  const std::int64_t d = shape.d_model, qkv = d + 2 * shape.key_features();
  const std::int64_t statistics = shape.norm == Norm::layernorm ? 2 : 1;
  const bool gated = shape.activation == Activation::swiglu;
  ActivationElements elements;
  const std::int64_t residual = 2 * d, norms = 2 * (d + statistics), attention = qkv + d + shape.heads;
  elements.layer = residual + norms + attention + (gated ? 3 : 2) * shape.d_ff;
  const std::int64_t loss = shape.vocabulary + 2;  // logits, log(sum of exp(logit)), loss
  elements.outside = 2 * d + statistics + loss;
  elements.gradients = 2 * d + qkv + (gated ? 2 : 1) * shape.d_ff + shape.vocabulary;
  return elements;
}

double korthikanti_bytes(Shape const& shape, Tokens tokens) {
  const auto s = static_cast<double>(tokens.sequence), b = static_cast<double>(tokens.batch);
  const auto h = static_cast<double>(shape.d_model), a = static_cast<double>(shape.heads);
  return static_cast<double>(shape.layers) * s * b * h * (34 + 5 * a * s / h);
}

}  // namespace ddproxy::model
