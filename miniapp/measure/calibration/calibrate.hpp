// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/contention_sample.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The work of a contention run: operations of the backward pass, and all-reduces that run at the same time.
/// The operations write one part of the arena (the array of all gradients, in ready order), and the
/// all-reduces use the rest of it. If RankContext::arena_is_free is true, the operations do not use the
/// arena, and the all-reduces use all of it.
struct Work {
  std::vector<std::size_t> operations;  ///< indices into BackwardPass::operations
  int repetitions = 1;                  ///< how often all operations are run, one after another
  std::size_t free_offset = 0;  ///< index of the first element of the arena that the operations do not write
  std::vector<Slice> calls;     ///< the slices of the all-reduces, in the order of the calls
};

/// Returns work with the operations of contention_operations() (miniapp/input/workload.hpp). The work has one
/// repetition and no calls.
Work choose_work(RankContext const& context);
/// Runs all repetitions of the operations of `work`, and lets the communication lane make progress before
/// each operation. On a device it returns when the operations are enqueued.
void run_work(RankContext& context, Work const& work);

/// Measures kappa and gamma. These are the speeds of compute and of all-reduces that run at the same time,
/// each as a share of its speed alone (docs/glossary.md).
///
/// A contention run runs the operations of choose_work() and, at the same time, consecutive all-reduces of
/// gradients that these operations do not write. There is a contention run for each of up to six message
/// sizes. The first size is that of the smallest gradient. The last size is 64 MiB, but not more than all
/// gradients together, and not more than the free part of the arena. In each contention run, the numbers of
/// repetitions and of calls are chosen so that compute and all-reduces end at about the same time. A
/// contention run does not run a case of the sweep, so the prediction is independent of the measurements with
/// which it is compared later.
///
/// The samples are spread over the rounds of a calibration, as in CollectiveRounds (measure.hpp): construct
/// the object, then call take() once for each round. If compute is replayed, there are no contention runs,
/// because replayed compute shares nothing with all-reduces. Every method is collective; the contention runs
/// are the same on all ranks.
class ContentionRounds {
 public:
  /// Chooses the repetitions and calls of each contention run by trial runs. `samples` is the largest number
  /// of samples of one size in all rounds together. `context` must outlive the object. Throws CollectiveError
  /// (exit code 75) if a signal arrived.
  ContentionRounds(RankContext& context, int samples);
  /// Takes the samples of round `round` (from 0) of `rounds`. A size stops taking samples when it has three
  /// samples and has used 4 seconds in all rounds together. Returns early if a signal arrived; the samples so
  /// far are kept.
  void take(int round, int rounds);
  /// Returns the contention runs, by rising message size. This object owns them.
  std::vector<ContentionSample> const& runs() const { return runs_; }

 private:
  RankContext* context_;
  int samples_;
  std::vector<ContentionSample> runs_;
};

/// Adds one sample to a contention run of ContentionRounds::runs(): compute alone, all-reduces alone, and
/// both at the same time. Collective.
void add_sample(RankContext& context, ContentionSample& run);

/// Returns the bandwidth of copies between gradients and buckets while all ranks copy: the bytes of gradients
/// that each rank copies in a second. The time of a sample is that of the slowest rank, and the result uses
/// the median over `samples` samples. It is the same on all ranks. Call it only if context.copies_for_real().
/// Collective.
double measure_copy_bandwidth(RankContext& context, int samples);

}  // namespace ddproxy
