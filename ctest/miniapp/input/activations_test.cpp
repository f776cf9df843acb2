// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {
namespace {

// The closed forms of GPT-2, with N tokens, C = d_model, F = d_ff, V = vocabulary and H heads: each block has
// 8NC + 2NF + NH + 4N elements, and the last norm, the head and the loss have 2NC + NV + 4N. A norm keeps two
// numbers for each token.
TEST(Activations, OfTheBackwardPassMatchTheClosedForm) {
  for (auto const& preset : model::presets) {
    model::Shape const& s = preset.shape;
    const model::Tokens tokens{3, s.context / 2};
    std::map<model::BufferKind, std::int64_t> elements;
    for (auto const& buffer : backward_graph(s, tokens).buffers)
      elements[buffer.kind] += static_cast<std::int64_t>(buffer.elements);
    const std::int64_t n = tokens.count(), block = 8 * s.d_model + 2 * s.d_ff + s.heads + 4;
    EXPECT_EQ(elements[model::BufferKind::activation],
              n * (s.layers * block + 2 * s.d_model + s.vocabulary + 4));
    EXPECT_EQ(elements[model::BufferKind::activation_gradient], n * (5 * s.d_model + s.d_ff + s.vocabulary));
  }
}

TEST(Activations, ModelsWithoutKernelsAreRefused) {
  model::Shape shape = model::find_preset("tiny");
  shape.kv_heads = shape.heads;
  EXPECT_NO_THROW(check_kernels_have(shape, {1, 16}));
  shape.kv_heads = shape.heads / 2;
  EXPECT_THROW(check_kernels_have(shape, {1, 16}), std::invalid_argument);
  for (auto const& preset : model::llama_presets)
    EXPECT_THROW(check_kernels_have(preset.shape, {1, 16}), std::invalid_argument) << preset.name;
}

}  // namespace
}  // namespace ddproxy
