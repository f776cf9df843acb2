// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/machine.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// The tokens of one rank in a micro-batch: `batch` sequences of `sequence` tokens.
struct Tokens {
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t count() const { return batch * sequence; }
};

/// Work of one operation, as executed by an implementation that uses matrix products. Every step of the
/// operation (a matrix product, or one pass over the elements) reads each of its inputs once and writes
/// each of its results once. Attention's scores and probabilities therefore go through memory.
///
/// The scores are counted in full, because such an implementation computes all T x T scores of a head and
/// masks afterwards. With T tokens in a sequence and d features, the masked half is 2 T d of a layer's 24 d^2
/// + 4 T d flops per token (6 % for GPT-2-large at T = 1024).
struct Work {
  double flops = 0;
  double bytes = 0;  ///< bytes read and written
};

/// Returns flops and bytes of an operation of the backward pass. `element_bytes` is 4 for fp32 and tf32, 2
/// for bf16. Throws std::invalid_argument for a batch, a sequence or an element size that is not positive.
Work backward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes);

/// Returns flops and bytes of an operation in the forward pass. Throws as backward_work() does.
Work forward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes);

/// Returns the roofline time in seconds: max(flops / peak, bytes / bandwidth) / efficiency (Williams,
/// Waterman, Patterson, "Roofline", CACM 52(4), 2009). Throws std::invalid_argument for a rate that is not
/// positive and for an efficiency outside (0, 1].
double roofline_seconds(Work const& work, Machine const& machine);

/// Returns the roofline_seconds() of each operation of the backward pass, [operation]. Throws what
/// backward_work() and roofline_seconds() throw.
std::vector<double> modelled_seconds(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                                     Machine const& machine, int element_bytes);

}  // namespace ddproxy::model
