// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/contention_sample.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// What runs beside all-reduces: the linear operations of the block that comes first in the backward pass,
/// how often, and all-reduces of the part of the arena that they do not write.
struct Work {
  std::vector<std::size_t> operations;
  int repetitions = 1;
  std::size_t free_offset = 0;  ///< first element that the operations do not write
  std::vector<Slice> calls;
};

/// Those operations, once, and no calls.
Work choose_work(Workload const& workload);
/// Runs the operations of `work`, without waiting for a device.
void run_work(RankContext& context, Work const& work);

/// Measures kappa and gamma: runs the linear operations of the block that comes first in the backward pass
/// beside back-to-back all-reduces of gradients that they do not write, at six message sizes from that of the
/// smallest gradient to 64 MiB, as much of both as takes the same time. Nothing of the cases to be predicted
/// runs. The samples are spread over the rounds of a calibration, as those of CollectiveRounds are. There are
/// no co-runs where compute is replayed, because nothing is contended for there. Every method is collective;
/// the co-runs are the same on all ranks.
class ContentionRounds {
 public:
  /// Finds how much of both to run. `samples`: the most of a size in all rounds.
  ContentionRounds(RankContext& context, int samples);
  /// Takes the samples of one round: of each size its share; long ones have fewer, three at least in all
  /// rounds. Ends early where a signal came.
  void take(int round, int rounds);
  std::vector<ContentionSample> const& runs() const { return runs_; }

 private:
  RankContext* context_;
  int samples_;
  std::vector<ContentionSample> runs_;
};

/// Adds one sample to a co-run that calibrate() made. Collective.
void add_sample(RankContext& context, ContentionSample& run);

/// Bytes of gradients that this machine copies per second between gradients and buckets, as one rank of all
/// that copy at once: the slowest. Needs context.copies_for_real(). Collective.
double measure_copy_bandwidth(RankContext& context, int samples);

}  // namespace ddproxy
