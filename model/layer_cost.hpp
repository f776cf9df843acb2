// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/gpt2.hpp"
#include "model/machine.hpp"

namespace ddproxy::model {

/// One rank's share of a step.
struct Tokens {
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t count() const { return batch * sequence; }
};

/// Work of one operation.
struct Work {
  double flops = 0;
  double bytes = 0;  ///< read and written, each operand once
};

/// Flops and bytes of an operation of the backward pass; `element_bytes` is 4 for fp32 and tf32, 2 for bf16.
Work backward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes);

/// The same for the forward pass of the operation's counterpart.
Work forward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes);

/// max(flops / peak, bytes / bandwidth) / efficiency (Williams, Waterman, Patterson, "Roofline", CACM 52(4),
/// 2009), seconds.
double roofline_seconds(Work const& work, Machine const& machine);

/// Seconds of each operation of the backward pass.
std::vector<double> modelled_seconds(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                                     Machine const& machine, int element_bytes);

}  // namespace ddproxy::model
