// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sizes/scratch.hpp"
#include "model/cost/operation_work.hpp"
#include "model/step/step_graph.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Returns the step whose backward pass `ddproxy run` measures: the forward and the backward pass of one
/// micro-batch on one rank, without communication. The buffers of the graph are the parameters, the
/// gradients, the activations of all layers, and the gradients of activations, which all layers share. Both
/// the allocation and the prediction of memory use these buffers.
model::StepGraph backward_graph(model::Shape const& shape, model::Tokens tokens);

/// Returns the dimensions of the attention in the form that the kernels take.
kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens);

/// Returns the elements of scratch memory that one kernel of the model needs at most. Accepts every shape
/// that `ddproxy step` computes. `concurrency` is the concurrency of the execution space; on a host it is the
/// number of threads. A value above 4096 means a device.
std::int64_t kernel_scratch(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency);

/// Returns the bytes of the bf16 copies of operands (kernels/gemm/rounded_operands.hpp). Only matrix products
/// in bf16 on a device need these copies. All operators share them.
std::int64_t rounded_operands_bytes(model::Shape const& shape, model::Tokens tokens);

/// Memory that the operators of all layers share, one operator at a time. It is not in the buffers of the
/// graph. The values are indices into work_buffers().
enum class WorkBuffer : std::size_t {
  scratch,     ///< scratch memory of one kernel at a time
  rope_table,  ///< cosines and sines of all positions; only with rotations (RoPE)
};

/// Returns the elements of each WorkBuffer. kernel_scratch() explains `concurrency`.
std::vector<std::int64_t> work_buffers(model::Shape const& shape, model::Tokens tokens,
                                       std::int64_t concurrency);

/// Returns the elements of four arrays with about one integer for each token. They are the input tokens, the
/// target tokens that follow them, and the two arrays of kernels::TokenGroups (kernels/embedding.hpp). Each
/// array is a separate allocation. The length of TokenGroups::first depends on the tokens that are drawn. It
/// may be less than the length that is counted here, or one element more.
std::int64_t token_elements(model::Tokens tokens);

/// Returns the elements rounded up to whole cache lines of 64 bytes. An element has 4 bytes.
std::int64_t padded_elements(std::int64_t elements);
/// Returns the elements of one allocation that holds all buffers, each of which begins on a cache line.
std::int64_t padded_elements(std::vector<std::int64_t> const& buffers);

/// Throws std::invalid_argument with one line if batch or sequence is not positive, or if the sequence is
/// longer than the model's context.
void check_tokens(model::Shape const& shape, model::Tokens tokens);

/// Throws std::invalid_argument with one line if the shape is wrong or has a part that only `ddproxy step`
/// computes, for instance RMS norm. Also throws as check_tokens() does.
void check_kernels_have(model::Shape const& shape, model::Tokens tokens);

/// Returns whether this build computes on a device.
bool builds_for_device();

/// Returns the likely concurrency of an execution space before it exists. On a host this is OMP_NUM_THREADS,
/// or the number of hardware threads if the variable is not set. In a build for a device it is a number that
/// is typical of devices.
int likely_concurrency();

}  // namespace ddproxy
