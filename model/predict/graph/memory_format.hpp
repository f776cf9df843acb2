// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/transformer/forward_pass.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// The types in which a training step keeps its numbers.
enum class MemoryFormat {
  /// Everything in fp32, as in ddproxy's kernels. A parameter, its gradient and its two moments together
  /// take 4 + 4 + 8 bytes.
  fp32,
  /// Parameters, gradients and activations in bf16. The optimizer has a master copy of the parameters in
  /// fp32 beside its two moments: 2 + 2 + 12 bytes a parameter (Rajbhandari et al., "ZeRO", SC 2020).
  bf16_master,
  /// Parameters, gradients and moments in fp32. A matrix product uses a copy of its weight in bf16. As in
  /// PyTorch's autocast, the copy is kept from its first use in the forward pass to its last use in the
  /// backward pass. The activations that TokenTensor::stays_fp32 marks are in fp32, for instance the residual
  /// stream, the statistics of norms, the logits and the loss. The other activations are in bf16.
  autocast,
};

/// Changes a graph of a whole step from fp32 to another format. The graph can be used with live_memory() and
/// simulate() afterwards. It cannot be run: the kernels work in fp32.
///
/// - bf16_master adds the buffers of the master copy: one for each buffer of first moments, of the same size.
/// - autocast adds a buffer of BufferKind::cached_weight for each linear layer and for the output head. The
///   forward, recompute and backward tasks of the layer or of the head get an access to its buffer. With
///   several micro-batches the buffer is live between them, too.
///
/// `pass` and `forward` belong to the model of the graph. The wire formats of the collectives do not change.
StepGraph in_format(StepGraph graph, BackwardPass const& pass, ForwardPass const& forward,
                    MemoryFormat format);

}  // namespace ddproxy::model
