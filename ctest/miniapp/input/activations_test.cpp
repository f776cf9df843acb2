// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "miniapp/input/kernel_memory.hpp"
#include "model/transformer/forward_pass.hpp"

// The tensors of the model's forward pass are those that the kernels allocate.

namespace ddproxy {
namespace {

std::int64_t elements_of(std::vector<model::TokenTensor> const& tensors, model::Tokens tokens) {
  std::int64_t features = 0;
  for (auto const& tensor : tensors) features += tensor.features;
  return features * tokens.count();
}

TEST(Activations, OfTheModelAreThoseOfTheKernels) {
  for (auto const& preset : model::presets) {
    const model::Tokens tokens{3, preset.shape.context / 2};
    const model::ForwardPass pass = model::forward_pass(preset.shape);
    EXPECT_EQ(elements_of(pass.activations, tokens), elements_of(activation_buffers(preset.shape, tokens)));
    auto work = work_buffers(preset.shape, tokens, 1);
    ASSERT_EQ(work.back().name, "scratch");
    work.pop_back();
    EXPECT_EQ(elements_of(pass.gradients, tokens), elements_of(work));
  }
}

TEST(Activations, OfModelsThatTheKernelsLackAreRefused) {
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
