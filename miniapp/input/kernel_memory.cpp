// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/kernel_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <thread>

namespace ddproxy {
namespace {

// What the kernels allocate, array by array; a test of theirs holds these sums against it.
constexpr std::int64_t line = 16;         // arrays start on a cache line: elements in 64 bytes
constexpr std::int64_t most_parts = 256;  // into which a sum over rows is split
constexpr std::int64_t most_threads_of_a_host = 4096;

std::int64_t elements(std::initializer_list<std::int64_t> arrays) {
  std::int64_t sum = 0;
  for (const std::int64_t array : arrays) sum += (array + line - 1) / line * line;
  return sum;
}

[[noreturn]] void not_there(std::string const& what) {
  throw std::invalid_argument("compute mode \"kernels\" does not have " + what +
                              "; use compute.mode = \"replay\", or change [model]");
}

void check_tokens(model::Shape const& shape, model::Tokens tokens) {
  if (tokens.batch <= 0 || tokens.sequence <= 0)
    throw std::invalid_argument("step: batch and sequence must be positive");
  if (tokens.sequence > shape.context)
    throw std::invalid_argument("step: sequence (" + std::to_string(tokens.sequence) +
                                ") must not exceed the model's context (" + std::to_string(shape.context) +
                                ")");
}

std::int64_t activations(model::Shape const& shape, model::Tokens tokens) {
  const std::int64_t n = tokens.count(), stream = n * shape.d_model, wide = n * shape.d_ff;
  const std::int64_t block =
      elements({stream, n, n, stream, 3 * stream, n * shape.heads, stream, stream, n, n, stream, wide, wide});
  return shape.layers * block + elements({stream, n, n, stream, n * shape.vocabulary, n, n});
}

/// A device holds scores of all heads of a sequence, and their gradients.
std::int64_t attention_on_device(model::Shape const& shape, std::int64_t sequence) {
  constexpr std::int64_t queries = 256;
  return 2 * shape.heads * std::min(queries, sequence) * sequence;
}

/// Each thread of a host holds those of one head, and the head's keys, values and some of its queries.
std::int64_t attention_on_thread(model::Shape const& shape, std::int64_t sequence) {
  constexpr std::int64_t queries = 48, widest_vector = 16;
  const std::int64_t head_size = shape.d_model / shape.heads;
  const std::int64_t row = (head_size + widest_vector - 1) / widest_vector * widest_vector;
  return (4 * sequence + 2 * queries) * row + (2 * sequence + head_size) * queries;
}

std::int64_t attention(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  if (concurrency > most_threads_of_a_host) return attention_on_device(shape, tokens.sequence);
  return std::min(concurrency, tokens.batch * shape.heads) * attention_on_thread(shape, tokens.sequence);
}

std::int64_t scratch(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  const std::int64_t parts = std::min(concurrency, most_parts);
  const std::int64_t layernorm = 2 * parts * shape.d_model;
  const std::int64_t linear = parts * std::max(3 * shape.d_model, shape.d_ff);
  return std::max({attention(shape, tokens, concurrency), layernorm, linear});
}

std::int64_t work(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  const std::int64_t n = tokens.count(), stream = n * shape.d_model;
  return elements({stream, stream, 3 * stream, n * shape.d_ff, n * shape.vocabulary,
                   scratch(shape, tokens, concurrency)});
}

}  // namespace

void check_kernels_have(model::Shape const& shape, model::Tokens tokens) {
  model::check(shape);
  if (shape.activation != model::Activation::gelu) not_there("activation \"swiglu\"");
  if (shape.norm != model::Norm::layernorm) not_there("norm \"rmsnorm\"");
  if (shape.positions != model::Positions::learned) not_there("models without learned positions");
  if (shape.qkv != model::Qkv::fused) not_there("separate q, k and v");
  if (!shape.biases) not_there("models without biases");
  check_tokens(shape, tokens);
}

KernelMemory kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  check_kernels_have(shape, tokens);
  constexpr std::int64_t bytes = sizeof(float);
  constexpr std::int64_t token_arrays = 4;  // inputs, targets and the two of the groups
  const std::int64_t model_bytes = model::parameters(model::backward_pass(shape)) * bytes;
  return {model_bytes, model_bytes, (activations(shape, tokens) + token_arrays * tokens.count()) * bytes,
          work(shape, tokens, concurrency) * bytes};
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
  return 1 << 17;  // the need depends on no more than that it is a device
#else
  char const* threads = std::getenv("OMP_NUM_THREADS");
  return threads ? std::max(std::atoi(threads), 1) : static_cast<int>(std::thread::hardware_concurrency());
#endif
}

}  // namespace ddproxy
