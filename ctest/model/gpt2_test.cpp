// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/gpt2.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "published.hpp"

namespace ddproxy::model {
namespace {

std::vector<std::string> operation_names(BackwardPass const& pass) {
  std::vector<std::string> names;
  for (auto const& operation : pass.operations) names.push_back(operation.name);
  return names;
}

std::vector<std::string> gradient_names(BackwardPass const& pass) {
  std::vector<std::string> names;
  for (auto const& gradient : pass.gradients) names.push_back(gradient.name);
  return names;
}

Operation const& operation_named(BackwardPass const& pass, std::string const& name) {
  for (auto const& operation : pass.operations) {
    if (operation.name == name) return operation;
  }
  throw std::out_of_range("no operation " + name);
}

TEST(Gpt2, PresetsHaveThePublishedNumberOfParameters) {
  EXPECT_EQ(parameters(backward_pass(find_preset("gpt2"))), 124'439'808);
  EXPECT_EQ(parameters(backward_pass(find_preset("gpt2-medium"))), 354'823'168);
  EXPECT_EQ(parameters(backward_pass(find_preset("gpt2-large"))), 774'030'080);
  EXPECT_EQ(parameters(backward_pass(find_preset("gpt2-xl"))), 1'557'611'200);
}

TEST(Gpt2, LargeHas436Gradients) {
  EXPECT_EQ(backward_pass(find_preset("gpt2-large")).gradients.size(), 436U);
}

TEST(Gpt2, OperationsRunFromTheLossToTheEmbedding) {
  const BackwardPass pass = backward_pass({1, 8, 2, 32, 50, 16});
  const std::vector<std::string> expected{"lm_head.loss",  "lm_head",         "ln_f",     "h.0.mlp.c_proj",
                                          "h.0.mlp.act",   "h.0.mlp.c_fc",    "h.0.ln_2", "h.0.attn.c_proj",
                                          "h.0.attn.sdpa", "h.0.attn.c_attn", "h.0.ln_1", "embedding.wpe",
                                          "embedding.wte"};
  EXPECT_EQ(operation_names(pass), expected);
}

TEST(Gpt2, BiasPrecedesWeightAndTheTiedEmbeddingComesLast) {
  const BackwardPass pass = backward_pass({1, 8, 2, 32, 50, 16});
  const std::vector<std::string> expected{"ln_f.bias",
                                          "ln_f.weight",
                                          "h.0.mlp.c_proj.bias",
                                          "h.0.mlp.c_proj.weight",
                                          "h.0.mlp.c_fc.bias",
                                          "h.0.mlp.c_fc.weight",
                                          "h.0.ln_2.bias",
                                          "h.0.ln_2.weight",
                                          "h.0.attn.c_proj.bias",
                                          "h.0.attn.c_proj.weight",
                                          "h.0.attn.c_attn.bias",
                                          "h.0.attn.c_attn.weight",
                                          "h.0.ln_1.bias",
                                          "h.0.ln_1.weight",
                                          "wpe.weight",
                                          "wte.weight"};
  EXPECT_EQ(gradient_names(pass), expected);
}

TEST(Gpt2, LayersRunFromTheLastToTheFirst) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  std::vector<std::string> layers;
  for (auto const& operation : pass.operations) {
    if (layers.empty() || layers.back() != operation.layer) layers.push_back(operation.layer);
  }
  EXPECT_EQ(layers, (std::vector<std::string>{"lm_head", "ln_f", "h.1", "h.0", "embedding"}));
}

TEST(Gpt2, GradientsAreInReadyOrderAndBelongToTheirOperation) {
  for (auto const& preset : presets) {
    const BackwardPass pass = backward_pass(preset.shape);
    std::set<std::string> names;
    std::size_t previous = 0;
    for (auto const& gradient : pass.gradients) {
      EXPECT_TRUE(names.insert(gradient.name).second) << gradient.name;
      EXPECT_GE(gradient.operation, previous);
      EXPECT_EQ(gradient.layer, pass.operations.at(gradient.operation).layer);
      previous = gradient.operation;
    }
  }
}

TEST(Gpt2, LinearMapsHaveTheirInputAndOutputFeatures) {
  const BackwardPass pass = backward_pass({1, 8, 2, 32, 50, 16});
  EXPECT_EQ(operation_named(pass, "h.0.attn.c_attn").out, 24);
  EXPECT_EQ(operation_named(pass, "h.0.mlp.c_proj").in, 32);
  EXPECT_EQ(operation_named(pass, "h.0.mlp.c_proj").out, 8);
  EXPECT_EQ(operation_named(pass, "lm_head").in, 8);
  EXPECT_EQ(operation_named(pass, "lm_head").out, 50);
}

TEST(Gpt2, TheGradientOfAnUntiedHeadIsReadyFirst) {
  Shape shape{1, 8, 2, 32, 50, 16};
  shape.tied = false;
  const BackwardPass pass = backward_pass(shape);
  EXPECT_EQ(pass.gradients.front().name, "lm_head.weight");
  EXPECT_EQ(pass.operations[pass.gradients.front().operation].name, "lm_head");
  EXPECT_EQ(parameters(pass), parameters(backward_pass({1, 8, 2, 32, 50, 16})) + 400);
}

TEST(Gpt2, RmsNormNeverHasABias) {
  Shape shape{1, 8, 2, 32, 50, 16};
  shape.norm = Norm::rmsnorm;
  for (auto const& name : gradient_names(backward_pass(shape))) {
    const bool is_norm = name.find("ln_") != std::string::npos;
    EXPECT_FALSE(is_norm && name.ends_with(".bias")) << name;
  }
}

TEST(Gpt2, TheCs336ModelHasSeparateMapsAndNoBiases) {
  const BackwardPass pass = backward_pass(cs336_shape(1, 8, 2, 32));
  const std::vector<std::string> expected{"lm_head.weight",         "ln_f.weight",
                                          "h.0.mlp.c_proj.weight",  "h.0.mlp.c_fc.weight",
                                          "h.0.mlp.c_gate.weight",  "h.0.ln_2.weight",
                                          "h.0.attn.c_proj.weight", "h.0.attn.v_proj.weight",
                                          "h.0.attn.k_proj.weight", "h.0.attn.q_proj.weight",
                                          "h.0.ln_1.weight",        "wte.weight"};
  EXPECT_EQ(gradient_names(pass), expected);
}

TEST(Gpt2, TheCs336ModelsHaveThePublishedNumberOfParameters) {
  EXPECT_NEAR(static_cast<double>(parameters(backward_pass(cs336_shape(24, 1024, 16, 4096)))), 423.2e6,
              0.05e6);
  EXPECT_NEAR(static_cast<double>(parameters(backward_pass(cs336_shape(48, 1600, 25, 6400)))), 1998.2e6,
              0.05e6);
}

TEST(Gpt2, RefusesUnknownPresetsAndInvalidShapes) {
  EXPECT_THROW(find_preset("gpt3"), std::invalid_argument);
  EXPECT_THROW(check({0, 8, 2, 32, 50, 16}), std::invalid_argument);
  EXPECT_THROW(check({1, 9, 2, 32, 50, 16}), std::invalid_argument);
  EXPECT_NO_THROW(check({1, 8, 2, 32, 50, 16}));
}

}  // namespace
}  // namespace ddproxy::model
