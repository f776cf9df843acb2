// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/transformer/gpt2.hpp"

// Tests models of the Llama class: RMSNorm, no biases, an output head that is not tied to the embedding. Most
// of them have SwiGLU and RoPE. Llama 3 also has grouped-query attention.

namespace ddproxy::model {
namespace {

std::int64_t size_of(char const* preset) {
  return parameters(backward_pass(find_preset(preset)));
}

TEST(Llama, PresetsWithSwigluHaveThePublishedNumberOfParameters) {
  EXPECT_EQ(size_of("cs336-s"), 128'625'408);
  EXPECT_EQ(size_of("cs336-m"), 423'183'360);
  EXPECT_EQ(size_of("cs336-l"), 969'411'840);
  EXPECT_EQ(size_of("cs336-xl"), 1'998'235'200);
  EXPECT_EQ(size_of("cs336-2.7b"), 3'406'809'600);
}

TEST(Llama, PresetsWithTwoMatricesHaveThePublishedNumberOfParameters) {
  EXPECT_EQ(size_of("cs336-s-gelu"), 100'412'160);
  EXPECT_EQ(size_of("cs336-m-gelu"), 322'651'136);
  EXPECT_EQ(size_of("cs336-l-gelu"), 733'646'080);
  EXPECT_EQ(size_of("cs336-xl-gelu"), 1'506'920'000);
  EXPECT_EQ(size_of("cs336-2.7b-gelu"), 2'568'276'480);
}

TEST(Llama, Llama3HasThePublishedNumberOfParameters) {
  EXPECT_EQ(size_of("llama3-8b"), 8'030'261'248);
  // Nine tensors in each of 32 layers; embedding, last norm and head.
  EXPECT_EQ(backward_pass(find_preset("llama3-8b")).gradients.size(), 32U * 9 + 3);
}

TEST(Llama, EveryPresetHasAUniqueNameAndLlamaPresetsAreValid) {
  std::set<std::string_view> names;
  for (auto const& preset : presets) EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
  for (auto const& preset : llama_presets) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_NO_THROW(check(preset.shape)) << preset.name;
    EXPECT_EQ(find_preset(preset.name), preset.shape);
  }
}

/// Returns a model with 8 features, 4 query heads and 2 key-value heads, of 2 features each.
Shape grouped() {
  Shape shape{1, 8, 4, 16, 50, 32, false, false};
  shape.activation = Activation::swiglu;
  shape.norm = Norm::rmsnorm;
  shape.positions = Positions::rope;
  shape.qkv = Qkv::separate;
  shape.kv_heads = 2;
  return shape;
}

TEST(Llama, OperationsRunInTheOrderOfPyTorch) {
  const BackwardPass pass = backward_pass(grouped());
  std::string order;
  for (auto const& operation : pass.operations) order += operation.name + " ";
  EXPECT_EQ(order,
            "lm_head.loss lm_head ln_f h.0.mlp.c_proj h.0.mlp.act h.0.mlp.c_fc h.0.mlp.c_gate h.0.ln_2 "
            "h.0.attn.c_proj h.0.attn.sdpa h.0.attn.rope h.0.attn.v_proj h.0.attn.k_proj h.0.attn.q_proj "
            "h.0.ln_1 embedding.wte ");
}

TEST(Llama, EveryLinearMapAndNormHasAUniquePart) {
  std::set<Part> parts;
  for (auto const& operation : backward_pass(grouped()).operations) {
    const bool mapped = operation.kind == OperationKind::linear || operation.kind == OperationKind::norm;
    EXPECT_EQ(operation.part != Part::none, mapped) << operation.name;
    if (mapped) {
      EXPECT_TRUE(parts.insert(operation.part).second) << operation.name;
    }
  }
  EXPECT_EQ(parts, (std::set{Part::ln_1, Part::q_proj, Part::k_proj, Part::v_proj, Part::attn_c_proj,
                             Part::ln_2, Part::c_gate, Part::c_fc, Part::mlp_c_proj, Part::ln_f}));
}

TEST(Llama, SharedKeysAndValuesHaveFewerFeatures) {
  EXPECT_EQ(grouped().key_features(), 4);
  for (auto const& operation : backward_pass(grouped()).operations) {
    const bool is_rope = operation.kind == OperationKind::rope;
    const bool is_attention = operation.kind == OperationKind::attention;
    switch (operation.part) {
      case Part::q_proj:
        EXPECT_EQ(operation.out, 8);
        break;
      case Part::k_proj:
      case Part::v_proj:
        EXPECT_EQ(operation.out, 4);
        break;
      default:
        EXPECT_TRUE(!is_rope || operation.out == 8 + 4);
        EXPECT_TRUE(!is_attention || operation.in == 8 + 2 * 4);
    }
  }
  Shape fused = grouped();
  fused.qkv = Qkv::fused;
  EXPECT_EQ(parameters(backward_pass(fused)), parameters(backward_pass(grouped())));
  Shape all = grouped();
  all.kv_heads = 0;
  EXPECT_EQ(parameters(backward_pass(all)), parameters(backward_pass(grouped())) + 2 * 8 * 4);
}

std::string refusal(Shape const& shape) {
  try {
    check(shape);
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "";
}

TEST(Llama, RefusesInvalidKeyValueHeadsAndRopeSettings) {
  EXPECT_EQ(refusal(grouped()), "");
  Shape shape = grouped();
  shape.kv_heads = 3;
  EXPECT_NE(refusal(shape).find("kv_heads (3) must divide heads (4)"), std::string::npos) << refusal(shape);
  shape.kv_heads = 8;
  EXPECT_NE(refusal(shape).find("kv_heads (8)"), std::string::npos) << refusal(shape);
  shape.kv_heads = -1;
  EXPECT_NE(refusal(shape).find("kv_heads (-1)"), std::string::npos) << refusal(shape);
  shape = grouped();
  shape.d_model = 12;
  EXPECT_NE(refusal(shape).find("must be even; it is 3"), std::string::npos) << refusal(shape);
  shape.positions = Positions::none;
  EXPECT_EQ(refusal(shape), "");
  shape = grouped();
  shape.rope_theta = 0;
  EXPECT_NE(refusal(shape).find("rope_theta"), std::string::npos) << refusal(shape);
}

}  // namespace
}  // namespace ddproxy::model
