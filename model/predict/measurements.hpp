// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/predict/timeline.hpp"
#include "model/step/cap_walk.hpp"

namespace ddproxy::model {

/// Median seconds of the same work, one value for each phase of a run in which the work was timed. A machine
/// may be faster in one phase than in the next, and a prediction is about a future phase. Fewer than two
/// phases give no information about drift.
struct Drift {
  std::vector<double> compute;    ///< T_compute
  std::vector<double> allreduce;  ///< all-reduce time at one size
};

/// The measured samples on which a prediction is based.
struct Measurements {
  std::vector<std::vector<std::vector<double>>> operations;  ///< seconds [sample][rank][operation]
  std::vector<std::size_t> gradient_operation;  ///< index of the operation that completes each gradient
  std::vector<std::int64_t> gradient_bytes;     ///< bytes of each gradient in fp32, in ready order
  std::vector<std::int64_t> sizes;              ///< [size] bytes of gradients in fp32, rising
  std::vector<std::vector<double>> allreduce;   ///< seconds [size][sample]
  std::vector<SpeedSamples> contention = {};    ///< one entry for each size, rising; empty: no contention
  Copies copies = {};
  double handover = 0;            ///< seconds, see Job
  FirstBucket first_bucket = {};  ///< limit of the first bucket; used only to find the best cap b*
  Drift drift = {};               ///< used only for the uncertainty bands
};

/// Selects the ready times of a job.
enum class Jitter {
  left_out,  ///< r_i is a sum of medians; each operation's median is over samples and ranks
  included,  ///< in each sample the latest rank counts, because a bucket must be ready on all ranks; r_i is
             ///< the median of these ready times over the samples
};

/// Returns the job built from the medians of the samples. Throws std::invalid_argument for samples that are
/// missing or of different lengths, and if `gradient_operation` has an unknown operation or another length
/// than `gradient_bytes`. Also throws what the constructor of TableCost throws.
Job job_from(Measurements const& measurements, Jitter jitter);

}  // namespace ddproxy::model
