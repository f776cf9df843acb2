// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/attention/attention.hpp"
#include "kernels/linear.hpp"
#include "miniapp/compute/kernel_backward.hpp"

namespace ddproxy {
namespace {

// Returns how many floats of scratch memory the kernel with the largest need takes.
kernels::Index scratch_elements(model::Shape const& shape, model::Tokens tokens, kernels::Index concurrency) {
  const kernels::Index widest = std::max(3 * shape.d_model, shape.d_ff);
  return std::max({kernels::attention_scratch(concurrency, attention_size(shape, tokens)),
                   kernels::layernorm_scratch(concurrency, shape.d_model),
                   kernels::linear_scratch(concurrency, {tokens.count(), shape.d_model, widest})});
}

TEST(KernelNeed, TellsItsMemoryBeforehand) {
  const model::Shape shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  const kernels::Floats arena("arena", static_cast<std::size_t>(model::parameters(pass)));
  const model::Tokens tokens{2, 24};
  const KernelBackward backward(shape, pass, tokens, 42, 0, arena);
  const int threads = kernels::Space().concurrency();
  const KernelMemory need = kernel_memory(shape, tokens, threads);
  EXPECT_EQ(need.weights, 4 * padded_elements(model::parameters(pass)));
  const auto elements = static_cast<std::int64_t>(backward.elements()) +
                        padded_elements(work_buffers(shape, tokens, threads)) + token_elements(tokens);
  EXPECT_EQ(need.total(), 4 * elements);
  const TokenBatch batch = draw_tokens(shape, tokens, 1, 42).front();
  const auto groups = kernels::group_tokens(batch.inputs);
  EXPECT_LE(batch.inputs.size() + batch.targets.size() + groups.place.size() + groups.first.size(),
            static_cast<std::size_t>(token_elements(tokens)) + 1);
  for (const int concurrency : kernels::on_device ? std::vector{221184} : std::vector{1, 3, 300})
    for (const model::Tokens some : {model::Tokens{1, 7}, model::Tokens{3, 32}})
      EXPECT_EQ(work_buffers(shape, some, concurrency),
                (std::vector<std::int64_t>{scratch_elements(shape, some, concurrency), 0}));
  const KernelMemory large = kernel_memory(model::find_preset("gpt2-large"), {1, 16}, 1);
  EXPECT_EQ(large.weights, 774030080LL * 4);
  // Two ranks need less than 16 GiB. The added weights stand for the gradients, which total() does not have.
  EXPECT_LT(2 * (large.total() + large.weights), 16LL << 30);
}

TEST(KernelNeed, TellsADevicesMemoryOnAHost) {
  if (kernels::on_device)
    GTEST_SKIP()
        << "runs on hosts only: on a device TellsItsMemoryBeforehand compares the memory of the device";
  const model::Shape large = model::find_preset("gpt2-large");
  const model::Tokens tokens{2, 1024};
  const kernels::AttentionSize size = attention_size(large, tokens);
  const auto more = kernel_memory(large, tokens, 221184).work - kernel_memory(large, tokens, 1).work;
  EXPECT_EQ(more, 4 * (kernels::batched::attention_scratch(size) - kernels::attention_scratch(1, size)));
}

std::string message(model::Shape const& shape, model::Tokens tokens) {
  try {
    check_kernels_have(shape, tokens);
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelNeed, RefusesWhatTheKernelsDoNotHave) {
  const model::Shape tiny = model::find_preset("tiny");
  model::Shape shape = tiny;
  shape.activation = model::Activation::swiglu;
  EXPECT_EQ(message(shape, {1, 16}),
            "activation = \"swiglu\": `ddproxy run` has no kernel for this; use `ddproxy step`, or set "
            "[compute] mode = \"replay\", or change this key");
  shape = tiny;
  shape.norm = model::Norm::rmsnorm;
  EXPECT_NE(message(shape, {1, 16}).find("norm = \"rmsnorm\""), std::string::npos);
  shape = tiny;
  shape.positions = model::Positions::none;
  EXPECT_NE(message(shape, {1, 16}).find("positions"), std::string::npos);
  shape = tiny;
  shape.qkv = model::Qkv::separate;
  EXPECT_NE(message(shape, {1, 16}).find("qkv = \"separate\""), std::string::npos);
  shape = tiny;
  shape.biases = false;
  EXPECT_NE(message(shape, {1, 16}).find("biases"), std::string::npos);
  EXPECT_NE(message(tiny, {1, 33}).find("context (32)"), std::string::npos);
  EXPECT_NE(message(tiny, {0, 16}).find("positive"), std::string::npos);
  EXPECT_EQ(message(tiny, {1, 32}), "no error");
}

}  // namespace
}  // namespace ddproxy
