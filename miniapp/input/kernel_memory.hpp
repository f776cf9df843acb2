// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cost/layer_cost.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// An array that the kernels use. Its elements have 4 bytes. They are fp32 numbers, except in
/// token_buffers(), where they are integers.
struct KernelBuffer {
  std::string name;  ///< unique in its list, for instance "h.3.qkv"
  std::int64_t elements;
};

/// Returns the buffers that the forward pass keeps for the backward pass: those of each block, then those of
/// the last norm, the head and the loss. Both the allocation and the prediction of memory use this list.
/// miniapp/compute/activations.hpp has the shapes. A norm keeps the mean and rstd (1 / standard deviation) of
/// each token.
///
/// With N tokens, C = d_model, F = d_ff, V = vocabulary and H heads, each block has 8NC + 2NF + NH + 4N
/// elements, and the last norm, the head and the loss have 2NC + NV + 4N.
std::vector<KernelBuffer> activation_buffers(model::Shape const& shape, model::Tokens tokens);

/// Returns the buffers that all layers use in turn: the gradients of activations and the scratch memory of
/// the kernels. `concurrency` is the concurrency of the execution space; on a host it is the number of
/// threads.
std::vector<KernelBuffer> work_buffers(model::Shape const& shape, model::Tokens tokens,
                                       std::int64_t concurrency);

/// Returns the elements of scratch memory that one kernel of the model needs at most. Accepts every shape
/// that `ddproxy step` computes. `concurrency` is that of work_buffers(). A value above 4096 means a device.
std::int64_t kernel_scratch(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency);

/// Returns the arrays with about one integer for each token: the input tokens, the target tokens that follow
/// them, and the positions of the inputs grouped by token. Each array is an allocation of its own. The real
/// length of "token groups" depends on the tokens that are drawn. It may be shorter than the list says, or
/// longer by one element.
std::vector<KernelBuffer> token_buffers(model::Tokens tokens);

/// Returns the sum of the elements of all buffers.
std::int64_t elements_of(std::vector<KernelBuffer> const& buffers);

/// Returns the elements of one allocation that holds all buffers, each of which begins on a cache line of 64
/// bytes.
std::int64_t padded_elements(std::vector<KernelBuffer> const& buffers);
/// Returns the elements of the buffer, rounded up to whole cache lines of 64 bytes.
std::int64_t padded_elements(KernelBuffer const& buffer);

/// Memory of one rank in compute mode "kernels", in bytes.
struct KernelMemory {
  std::int64_t weights = 0;
  std::int64_t activations = 0;  ///< activation_buffers() and token_buffers()
  std::int64_t work = 0;         ///< work_buffers()
  std::int64_t total() const { return weights + activations + work; }
};

/// Throws std::invalid_argument with one line if batch or sequence is not positive, or if the sequence is
/// longer than the model's context.
void check_tokens(model::Shape const& shape, model::Tokens tokens);

/// Throws std::invalid_argument with one line if the shape is wrong or has a part that only `ddproxy step`
/// computes, for instance RMS norm. Also throws as check_tokens() does.
void check_kernels_have(model::Shape const& shape, model::Tokens tokens);

/// Returns the memory that the backward pass on kernels allocates in addition to the gradients. The
/// libraries' own memory is not included. `concurrency` is that of work_buffers(). Needs no device. Throws
/// what check_kernels_have() throws.
KernelMemory kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency = 1);

/// Returns whether this build computes on a device.
bool builds_for_device();

/// Returns the likely concurrency of an execution space before it exists. On a host this is OMP_NUM_THREADS,
/// or the number of hardware threads if the variable is not set. In a build for a device it is a number that
/// is typical of devices.
int likely_concurrency();

}  // namespace ddproxy
