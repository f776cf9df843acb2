// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/kernel_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t line = 16;  // elements in 64 bytes
constexpr std::int64_t most_threads_of_a_host = 4096;

[[noreturn]] void not_there(std::string const& what) {
  throw std::invalid_argument(what +
                              ": `ddproxy run` has no kernel for this; use `ddproxy step`, or set [compute] "
                              "mode = \"replay\", or change this key");
}

}  // namespace

void check_tokens(model::Shape const& shape, model::Tokens tokens) {
  if (tokens.batch <= 0 || tokens.sequence <= 0)
    throw std::invalid_argument("step: batch and sequence must be positive");
  if (tokens.sequence > shape.context)
    throw std::invalid_argument("step: sequence (" + std::to_string(tokens.sequence) +
                                ") must not exceed the model's context (" + std::to_string(shape.context) +
                                ")");
}

model::StepGraph backward_graph(model::Shape const& shape, model::Tokens tokens) {
  auto graphs =
      model::whole_step(model::backward_pass(shape), model::forward_pass(shape), tokens.count(), {}, 1);
  return std::move(graphs.classes.front().graph);
}

kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens) {
  return {tokens.batch, tokens.sequence, shape.heads, shape.head_size(),
          shape.key_features() / shape.head_size()};
}

std::int64_t kernel_scratch(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  const kernels::AttentionSize size = attention_size(shape, tokens);
  const bool on_device = concurrency > most_threads_of_a_host;
  const std::int64_t widest = std::max(shape.d_model + 2 * shape.key_features(), shape.d_ff);
  return std::max(
      {on_device ? kernels::device_attention_scratch(size)
                 : kernels::heads::attention_scratch(concurrency, size),
       shape.norm == model::Norm::layernorm ? kernels::layernorm_scratch(concurrency, shape.d_model)
                                            : kernels::rmsnorm_scratch(concurrency, shape.d_model),
       shape.biases ? kernels::linear_scratch(concurrency, {tokens.count(), shape.d_model, widest}) : 0,
       kernels::sum_of_squares_scratch(concurrency)});
}

std::int64_t rounded_operands_bytes(model::Shape const& shape, model::Tokens tokens) {
  std::vector<kernels::LinearSize> layers;
  kernels::LinearSize head{};
  for (auto const& operation : model::backward_pass(shape).operations) {
    const kernels::LinearSize size{tokens.count(), operation.in, operation.out};
    if (operation.kind == model::OperationKind::linear) layers.push_back(size);
    if (operation.kind == model::OperationKind::head) head = size;
  }
  constexpr std::int64_t bytes = sizeof(float);
  return kernels::rounded_operands_elements(layers, head) * bytes;
}

std::vector<std::int64_t> work_buffers(model::Shape const& shape, model::Tokens tokens,
                                       std::int64_t concurrency) {
  const bool rotates = shape.positions == model::Positions::rope;
  return {kernel_scratch(shape, tokens, concurrency),
          rotates ? kernels::rope_table_elements(tokens.sequence, shape.head_size()) : 0};
}

std::int64_t token_elements(model::Tokens tokens) {
  constexpr std::int64_t arrays = 4;
  return arrays * tokens.count();
}

std::int64_t padded_elements(std::int64_t elements) {
  return (elements + line - 1) / line * line;
}

std::int64_t padded_elements(std::vector<std::int64_t> const& buffers) {
  std::int64_t sum = 0;
  for (const std::int64_t elements : buffers) sum += padded_elements(elements);
  return sum;
}

void check_kernels_have(model::Shape const& shape, model::Tokens tokens) {
  model::check(shape);
  if (shape.activation != model::Activation::gelu) not_there("activation = \"swiglu\"");
  if (shape.norm != model::Norm::layernorm) not_there("norm = \"rmsnorm\"");
  if (shape.positions != model::Positions::learned) not_there("positions other than \"learned\"");
  if (shape.qkv != model::Qkv::fused) not_there("qkv = \"separate\"");
  if (shape.kv_heads != 0 && shape.kv_heads != shape.heads) not_there("fewer kv_heads than heads");
  if (!shape.biases) not_there("biases = false");
  check_tokens(shape, tokens);
}

bool builds_for_device() {
#ifdef DDPROXY_DEVICE
  return true;
#else
  return false;
#endif
}

int likely_concurrency() {
#ifdef DDPROXY_DEVICE
  return 1 << 17;  // the memory depends only on whether this is a device, not on the number
#else
  char const* threads = std::getenv("OMP_NUM_THREADS");
  return threads ? std::max(std::atoi(threads), 1) : static_cast<int>(std::thread::hardware_concurrency());
#endif
}

}  // namespace ddproxy
