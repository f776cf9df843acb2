// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/contention_sample.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The work of a co-run: operations of the backward pass, repeated, and all-reduces beside them. The
/// all-reduces use the part of the arena that the operations do not write.
struct Work {
  std::vector<std::size_t> operations;  ///< indices into BackwardPass::operations
  int repetitions = 1;
  std::size_t free_offset = 0;  ///< index of the first element of the arena that the operations do not write
  std::vector<Slice> calls;
};

/// Returns the linear operations of the block that comes first in the backward pass, one repetition, and no
/// calls.
Work choose_work(Workload const& workload);
/// Runs the operations of `work`, all repetitions. Does not wait for a device.
void run_work(RankContext& context, Work const& work);

/// Measures kappa and gamma, the speeds of compute and all-reduces that run at the same time.
///
/// A co-run runs the work of choose_work() beside back-to-back all-reduces of gradients that it does not
/// write. There are co-runs for six message sizes, from the size of the smallest gradient to 64 MiB. Each
/// runs as much of both as takes the same time. Only this work runs, and none of the cases that will be
/// predicted.
///
/// The samples are spread over the rounds of a calibration, as in CollectiveRounds: construct the object,
/// then call take() once for each round. If compute is replayed, there are no co-runs, because nothing is
/// contended for. Every method is collective; the co-runs are the same on all ranks.
class ContentionRounds {
 public:
  /// Finds how much compute and how many calls to run at each size. `samples` is the largest number of
  /// samples of a size in all rounds. `context` outlives the object.
  ContentionRounds(RankContext& context, int samples);
  /// Takes the samples of round `round` (from 0) of `rounds`. Sizes that take long have fewer samples, but at
  /// least three in all rounds. Ends early if a signal arrived.
  void take(int round, int rounds);
  /// Returns the co-runs, by rising message size.
  std::vector<ContentionSample> const& runs() const { return runs_; }

 private:
  RankContext* context_;
  int samples_;
  std::vector<ContentionSample> runs_;
};

/// Adds one sample to a co-run of ContentionRounds::runs(). Collective.
void add_sample(RankContext& context, ContentionSample& run);

/// Returns the bytes of gradients that a rank copies per second between gradients and buckets while all ranks
/// copy. It is the value of the slowest rank, the same on all ranks, and the median over `samples` samples.
/// Call it only if context.copies_for_real(). Collective.
double measure_copy_bandwidth(RankContext& context, int samples);

}  // namespace ddproxy
