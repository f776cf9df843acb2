// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "model/step/strategies/ddp.hpp"
#include "model/step/strategies/micro_batch.hpp"
#include "model/step/strategies/sharding.hpp"

// What a whole training step consists of, as data. whole_step() (whole_step.hpp) builds its graphs.
namespace ddproxy::model {

/// The micro-batches in which buckets are reduced, in a step of several micro-batches.
enum class Sync {
  last,  ///< only the last micro-batch, as in PyTorch DDP if the other ones run under no_sync()
  each,  ///< every micro-batch, as in PyTorch DDP without no_sync()
};

enum class Optimizer {
  none,   ///< the step ends with averaged gradients
  adamw,  ///< AdamW (Loshchilov and Hutter, 2019) keeps two numbers for each parameter
};

/// Number of elements, 4 bytes each, of the buffer that holds the sum of squares. The sum is a double. The
/// norm is computed from it.
inline constexpr std::size_t norm_elements = 2;

/// How a training step is divided: among the ranks (sharding), into buckets (Ddp::plan) and into
/// micro-batches, and whether collectives run beside compute (Ddp::overlapped).
struct Strategy {
  Ddp ddp = {};           ///< how gradients are averaged; an empty plan is for a step on one rank
  int micro_batches = 1;  ///< number of micro-batches whose gradients a step accumulates
  Sync sync = Sync::last;
  bool clipped = false;  ///< true: gradients are scaled so that their global norm has an upper limit
  Optimizer optimizer = Optimizer::none;
  Checkpoint checkpoint = Checkpoint::none;
  Sharding sharding = {};  ///< what is divided among the ranks
};

}  // namespace ddproxy::model
