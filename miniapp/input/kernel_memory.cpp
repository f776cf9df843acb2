// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/kernel_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "kernels/sizes/scratch.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t line = 16;  // elements in 64 bytes
constexpr std::int64_t most_threads_of_a_host = 4096;

[[noreturn]] void not_there(std::string const& what) {
  throw std::invalid_argument(what +
                              ": `ddproxy run` has no kernel for this; use `ddproxy step`, or set [compute] "
                              "mode = \"replay\", or change this key");
}

void add_statistics(std::vector<KernelBuffer>& buffers, std::string const& norm, std::int64_t tokens) {
  buffers.push_back({norm + ".mean", tokens});
  buffers.push_back({norm + ".rstd", tokens});
}

void add_block(std::vector<KernelBuffer>& buffers, std::string const& name, model::Shape const& shape,
               std::int64_t tokens) {
  const std::int64_t stream = tokens * shape.d_model, wide = tokens * shape.d_ff;
  buffers.push_back({name + ".input", stream});
  add_statistics(buffers, name + ".ln_1", tokens);
  buffers.push_back({name + ".ln_1", stream});
  buffers.push_back({name + ".qkv", 3 * stream});
  buffers.push_back({name + ".attention_log_sum", tokens * shape.heads});
  buffers.push_back({name + ".attention", stream});
  buffers.push_back({name + ".middle", stream});
  add_statistics(buffers, name + ".ln_2", tokens);
  buffers.push_back({name + ".ln_2", stream});
  buffers.push_back({name + ".fc", wide});
  buffers.push_back({name + ".gelu", wide});
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

std::int64_t kernel_scratch(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  const std::int64_t keys = shape.key_features();
  const kernels::AttentionSize size{tokens.batch, tokens.sequence, shape.heads, shape.head_size(),
                                    keys / shape.head_size()};
  const bool on_device = concurrency > most_threads_of_a_host;
  const std::int64_t widest = std::max(shape.d_model + 2 * keys, shape.d_ff);
  return std::max(
      {on_device ? kernels::batched::attention_scratch(size)
                 : kernels::heads::attention_scratch(concurrency, size),
       shape.norm == model::Norm::layernorm ? kernels::layernorm_scratch(concurrency, shape.d_model)
                                            : kernels::rmsnorm_scratch(concurrency, shape.d_model),
       shape.biases ? kernels::linear_scratch(concurrency, {tokens.count(), shape.d_model, widest}) : 0,
       kernels::sum_of_squares_scratch(concurrency)});
}

std::vector<KernelBuffer> activation_buffers(model::Shape const& shape, model::Tokens tokens) {
  const std::int64_t n = tokens.count(), stream = n * shape.d_model;
  std::vector<KernelBuffer> buffers;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer)
    add_block(buffers, "h." + std::to_string(layer), shape, n);
  buffers.push_back({"last", stream});
  add_statistics(buffers, "ln_f", n);
  buffers.push_back({"ln_f", stream});
  buffers.push_back({"logits", n * shape.vocabulary});
  buffers.push_back({"log_sum", n});
  buffers.push_back({"loss", n});
  return buffers;
}

std::vector<KernelBuffer> work_buffers(model::Shape const& shape, model::Tokens tokens,
                                       std::int64_t concurrency) {
  const std::int64_t n = tokens.count(), stream = n * shape.d_model;
  return {{"residual", stream},
          {"branch", stream},
          {"qkv", 3 * stream},
          {"wide", n * shape.d_ff},
          {"logits", n * shape.vocabulary},
          {"scratch", kernel_scratch(shape, tokens, concurrency)}};
}

std::vector<KernelBuffer> token_buffers(model::Tokens tokens) {
  const std::int64_t n = tokens.count();
  return {{"inputs", n}, {"targets", n}, {"token places", n}, {"token groups", n}};
}

std::int64_t elements_of(std::vector<KernelBuffer> const& buffers) {
  std::int64_t sum = 0;
  for (auto const& buffer : buffers) sum += buffer.elements;
  return sum;
}

std::int64_t padded_elements(KernelBuffer const& buffer) {
  return (buffer.elements + line - 1) / line * line;
}

std::int64_t padded_elements(std::vector<KernelBuffer> const& buffers) {
  std::int64_t sum = 0;
  for (auto const& buffer : buffers) sum += padded_elements(buffer);
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

KernelMemory kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  check_kernels_have(shape, tokens);
  constexpr std::int64_t bytes = sizeof(float);
  return {model::parameters(model::backward_pass(shape)) * bytes,
          (padded_elements(activation_buffers(shape, tokens)) + elements_of(token_buffers(tokens))) * bytes,
          padded_elements(work_buffers(shape, tokens, concurrency)) * bytes};
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
