// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/activation_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "model/transformer/forward_pass.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy::model {
namespace {

std::int64_t features(std::vector<TokenTensor> const& tensors) {
  std::int64_t sum = 0;
  for (TokenTensor const& tensor : tensors) sum += tensor.features;
  return sum;
}

TEST(ActivationMemory, TheClosedFormMatchesTheForwardPassOfEveryPreset) {
  const auto expect = [](Preset const& preset) {
    const ForwardPass pass = forward_pass(preset.shape);
    const ActivationElements closed = activation_elements(preset.shape);
    EXPECT_EQ(preset.shape.layers * closed.layer + closed.outside, features(pass.activations)) << preset.name;
    EXPECT_EQ(closed.gradients, features(pass.gradients)) << preset.name;
  };
  for (Preset const& preset : presets) expect(preset);
  for (Preset const& preset : llama_presets) expect(preset);
}

TEST(ActivationMemory, ALayerOfGpt2KeepsSixteenTensorsOfItsWidth) {
  const Shape shape = find_preset("gpt2");
  EXPECT_EQ(activation_elements(shape).layer, 16 * 768 + 12 + 4);
}

// For each token and feature of a layer, Korthikanti et al. count 34 bytes in fp16: 16 elements and two bytes
// of dropout masks. ddproxy's kernels have no dropout. Korthikanti et al. also count the scores: 5 a s^2 b
// bytes for a heads and b sequences of s tokens. In place of the scores the kernels keep one number for each
// head and token. They also keep four statistics of the norms for each token.
TEST(ActivationMemory, DiffersFromKorthikantiByDropoutScoresAndSums) {
  const Tokens tokens{3, 512};
  for (char const* name : {"gpt2", "gpt2-large", "gpt2-xl"}) {
    const Shape shape = find_preset(name);
    const auto per_layer = static_cast<double>(tokens.count() * activation_elements(shape).layer);
    const auto layers = static_cast<double>(shape.layers), count = static_cast<double>(tokens.count());
    const auto d = static_cast<double>(shape.d_model), heads = static_cast<double>(shape.heads);
    const double dropout = 2 * count * d, scores = 5 * heads * 512 * count, sums = 2 * count * (heads + 4);
    EXPECT_DOUBLE_EQ(korthikanti_bytes(shape, tokens), layers * (2 * per_layer + dropout + scores - sums))
        << name;
  }
}

}  // namespace
}  // namespace ddproxy::model
