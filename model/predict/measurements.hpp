// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/predict/timeline.hpp"
#include "model/step/cap_walk.hpp"

namespace ddproxy::model {

/// Median seconds of the same work in each phase of a run that timed it. Machines are faster in one phase
/// than in the next, and a prediction is of a phase to come. Fewer than two phases say nothing of that.
struct Drift {
  std::vector<double> compute;    ///< T_compute
  std::vector<double> allreduce;  ///< a(x) at one size
};

/// What a prediction was measured from.
struct Measurements {
  std::vector<std::vector<std::vector<double>>> operations;  ///< seconds [sample][rank][operation]
  std::vector<std::size_t> gradient_operation;  ///< index of the operation that completes each gradient
  std::vector<std::int64_t> gradient_bytes;
  std::vector<std::int64_t> sizes;             ///< bytes of the all-reduce table, rising
  std::vector<std::vector<double>> allreduce;  ///< seconds [size][sample]
  std::vector<SpeedSamples> contention = {};   ///< sizes rising; none: no contention
  Copies copies = {};
  FirstBucket first_bucket = {};  ///< its own limit, for b*
  Drift drift = {};               ///< for the bands alone
};

/// Which ready times a job is given.
enum class Jitter {
  left_out,  ///< each operation's median over samples and ranks
  included,  ///< r_i the median over samples of the latest rank: a bucket is ready when it is ready
             ///< everywhere
};

/// The job that the medians of the samples make. Throws std::invalid_argument for samples that are missing or
/// of different lengths, and as TableCost does.
Job job_from(Measurements const& measurements, Jitter jitter);

}  // namespace ddproxy::model
