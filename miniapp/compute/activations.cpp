// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/activations.hpp"

#include <algorithm>

#include "kernels/linear.hpp"

namespace ddproxy {
namespace {

using kernels::Index;

kernels::RowStatistics take_statistics(BumpAllocator& slab, Index rows) {
  float* const mean = slab.take(rows);
  return {mean, slab.take(rows)};
}

BlockActivations take_block(BumpAllocator& slab, model::Shape const& shape, model::Tokens tokens) {
  const Index n = tokens.count();
  const Index stream = n * shape.d_model;
  BlockActivations block{};
  block.input = slab.take(stream);
  block.ln_1_of = take_statistics(slab, n);
  block.ln_1 = slab.take(stream);
  block.qkv = slab.take(3 * stream);
  block.attention_log_sum = slab.take(n * shape.heads);
  block.attention = slab.take(stream);
  block.middle = slab.take(stream);
  block.ln_2_of = take_statistics(slab, n);
  block.ln_2 = slab.take(stream);
  block.fc = slab.take(n * shape.d_ff);
  block.gelu = slab.take(n * shape.d_ff);
  return block;
}

Index scratch_elements(model::Shape const& shape, model::Tokens tokens, Index concurrency) {
  const Index widest = std::max(3 * shape.d_model, shape.d_ff);
  return std::max({kernels::attention_scratch(concurrency, attention_size(shape, tokens)),
                   kernels::layernorm_scratch(concurrency, shape.d_model),
                   kernels::linear_scratch(concurrency, {tokens.count(), shape.d_model, widest})});
}

}  // namespace

Activations::Activations(BumpAllocator& slab, model::Shape const& shape, model::Tokens tokens) {
  const Index n = tokens.count();
  for (std::int64_t layer = 0; layer < shape.layers; ++layer)
    blocks.push_back(take_block(slab, shape, tokens));
  last = slab.take(n * shape.d_model);
  ln_f_of = take_statistics(slab, n);
  ln_f = slab.take(n * shape.d_model);
  logits = slab.take(n * shape.vocabulary);
  log_sum = slab.take(n);
  loss = slab.take(n);
}

WorkBuffers::WorkBuffers(BumpAllocator& slab, model::Shape const& shape, model::Tokens tokens, Index concurrency) {
  const Index stream = tokens.count() * shape.d_model;
  residual = slab.take(stream);
  branch = slab.take(stream);
  qkv = slab.take(3 * stream);
  wide = slab.take(tokens.count() * shape.d_ff);
  logits = slab.take(tokens.count() * shape.vocabulary);
  scratch = slab.take(scratch_elements(shape, tokens, concurrency));
}

Index activation_elements(model::Shape const& shape, model::Tokens tokens) {
  BumpAllocator counting;
  const Activations activations(counting, shape, tokens);
  return counting.used();
}

Index work_elements(model::Shape const& shape, model::Tokens tokens, Index concurrency) {
  BumpAllocator counting;
  const WorkBuffers work(counting, shape, tokens, concurrency);
  return counting.used();
}

kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens) {
  return {tokens.batch, tokens.sequence, shape.heads, shape.d_model / shape.heads};
}

}  // namespace ddproxy
