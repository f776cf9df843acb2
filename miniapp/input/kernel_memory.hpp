// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cost/layer_cost.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// One array of numbers of 4 bytes that the kernels work on; fp32 where nothing else is said.
struct Buffer {
  std::string name;  ///< unique in its list, for instance "h.3.qkv"
  std::int64_t elements;
};

/// What the forward pass keeps for the backward pass: of each block, then of the last norm, the head and the
/// loss. The list is what is allocated (miniapp/compute/activations.hpp) and what is predicted. N tokens, C =
/// d_model, F = d_ff, V = vocabulary, H heads; a norm keeps mean and rstd of each token.
std::vector<Buffer> activation_buffers(model::Shape const& shape, model::Tokens tokens);

/// Gradients of activations, used again by each layer, and the scratch memory of the kernels. `concurrency`
/// is that of the execution space: the number of threads on a host.
std::vector<Buffer> work_buffers(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency);

/// Arrays of a number a token, each an allocation of its own: the tokens that are read, those that follow,
/// and their groups. As the tokens are drawn, "token groups" may be shorter, or longer by one.
std::vector<Buffer> token_buffers(model::Tokens tokens);

/// The sum of their elements.
std::int64_t elements_of(std::vector<Buffer> const& buffers);

/// Elements of one allocation that holds all buffers, each beginning on a cache line of 64 bytes.
std::int64_t padded_elements(std::vector<Buffer> const& buffers);
std::int64_t padded_elements(Buffer const& buffer);

/// Bytes of one rank's memory in compute mode "kernels".
struct KernelMemory {
  std::int64_t weights = 0;
  std::int64_t activations = 0;  ///< activation_buffers() and token_buffers()
  std::int64_t work = 0;         ///< work_buffers()
  std::int64_t total() const { return weights + activations + work; }
};

/// Throws std::invalid_argument, in one line, where the kernels do not have what the shape asks for or the
/// sequence is longer than the context.
void check_kernels_have(model::Shape const& shape, model::Tokens tokens);

/// What the kernels' backward pass allocates beside the gradients, told without a device; the libraries' own
/// memory is not in it. `concurrency` is that of the execution space: the number of threads on a host. Throws
/// as check_kernels_have() does.
KernelMemory kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency = 1);

/// Whether this build computes on a device.
bool builds_for_device();

/// Threads of an execution space that does not exist yet. On a host OMP_NUM_THREADS, else the processor's; in
/// a build for a device about as many as one has.
int likely_concurrency();

}  // namespace ddproxy
