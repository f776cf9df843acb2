// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/attention/attention.hpp"
#include "kernels/linear.hpp"
#include "miniapp/compute/kernel_backward.hpp"
#include "miniapp/input/step_memory.hpp"

namespace ddproxy {
namespace {

// Returns how many floats of scratch memory the kernel with the largest need takes.
kernels::Index scratch_elements(model::Shape const& shape, model::Tokens tokens, kernels::Index concurrency) {
  const kernels::Index widest = std::max(3 * shape.d_model, shape.d_ff);
  return std::max({kernels::attention_scratch(concurrency, attention_size(shape, tokens)),
                   kernels::layernorm_scratch(concurrency, shape.d_model),
                   kernels::linear_scratch(concurrency, {tokens.count(), shape.d_model, widest})});
}

TEST(KernelNeed, PredictsTheMemoryOfTheKernels) {
  const model::Shape shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  const kernels::Floats arena("arena", static_cast<std::size_t>(model::parameters(pass)));
  const model::Tokens tokens{2, 24};
  const KernelBackward backward(shape, pass, tokens, 42, 0, arena);
  const StepPlaces places = backward_places(shape, tokens);
  EXPECT_EQ(places.elements - places.leading, backward.elements());
  EXPECT_EQ(static_cast<std::int64_t>(places.leading), padded_elements(model::parameters(pass)));
  const TokenBatch batch = draw_tokens(shape, tokens, 1, 42).front();
  const auto groups = kernels::group_tokens(batch.inputs);
  EXPECT_LE(batch.inputs.size() + batch.targets.size() + groups.place.size() + groups.first.size(),
            static_cast<std::size_t>(token_elements(tokens)) + 1);
  for (const int concurrency : kernels::on_device ? std::vector{221184} : std::vector{1, 3, 300})
    for (const model::Tokens some : {model::Tokens{1, 7}, model::Tokens{3, 32}})
      EXPECT_EQ(work_buffers(shape, some, concurrency),
                (std::vector<std::int64_t>{scratch_elements(shape, some, concurrency), 0}));
  const model::Shape large = model::find_preset("gpt2-large");
  const StepPlaces of_large = backward_places(large, {1, 16});
  EXPECT_EQ(of_large.leading, 774030080U) << "gradients";
  const auto bytes =
      4 * (static_cast<std::int64_t>(of_large.elements) + padded_elements(work_buffers(large, {1, 16}, 1)));
  EXPECT_LT(2 * bytes, 16LL << 30) << "two ranks";
}

TEST(KernelNeed, PredictsTheMemoryOfADeviceOnAHost) {
  if (kernels::on_device)
    GTEST_SKIP()
        << "runs on hosts only: on a device PredictsTheMemoryOfTheKernels compares the memory of the device";
  const model::Shape large = model::find_preset("gpt2-large");
  const model::Tokens tokens{2, 1024};
  const kernels::AttentionSize size = attention_size(large, tokens);
  const auto more = work_buffers(large, tokens, 221184)[0] - work_buffers(large, tokens, 1)[0];
  EXPECT_EQ(more, kernels::batched::attention_scratch(size) - kernels::attention_scratch(1, size));
}

std::string message(model::Shape const& shape, model::Tokens tokens) {
  try {
    check_kernels_have(shape, tokens);
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelNeed, RefusesModelsAndTokensThatTheKernelsCannotCompute) {
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
