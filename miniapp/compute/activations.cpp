// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/activations.hpp"

#include <algorithm>
#include <string>

#include "kernels/linear.hpp"

namespace ddproxy {
namespace {

kernels::RowStatistics statistics_in(BumpAllocator const& memory, std::string const& norm) {
  return {memory[norm + ".mean"], memory[norm + ".rstd"]};
}

BlockActivations block_in(BumpAllocator const& memory, std::string const& name) {
  BlockActivations block{};
  block.input = memory[name + ".input"];
  block.ln_1_of = statistics_in(memory, name + ".ln_1");
  block.ln_1 = memory[name + ".ln_1"];
  block.qkv = memory[name + ".qkv"];
  block.attention_log_sum = memory[name + ".attention_log_sum"];
  block.attention = memory[name + ".attention"];
  block.middle = memory[name + ".middle"];
  block.ln_2_of = statistics_in(memory, name + ".ln_2");
  block.ln_2 = memory[name + ".ln_2"];
  block.fc = memory[name + ".fc"];
  block.gelu = memory[name + ".gelu"];
  return block;
}

}  // namespace

Activations::Activations(BumpAllocator const& memory, model::Shape const& shape)
    : last(memory["last"]),
      ln_f_of(statistics_in(memory, "ln_f")),
      ln_f(memory["ln_f"]),
      logits(memory["logits"]),
      log_sum(memory["log_sum"]),
      loss(memory["loss"]) {
  for (std::int64_t layer = 0; layer < shape.layers; ++layer)
    blocks.push_back(block_in(memory, "h." + std::to_string(layer)));
}

WorkBuffers::WorkBuffers(BumpAllocator const& memory)
    : residual(memory["residual"]),
      branch(memory["branch"]),
      qkv(memory["qkv"]),
      wide(memory["wide"]),
      logits(memory["logits"]),
      scratch(memory["scratch"]) {}

kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens) {
  return {tokens.batch, tokens.sequence, shape.heads, shape.d_model / shape.heads};
}

}  // namespace ddproxy
