// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/predict/analysis/analysis.hpp"
#include "model/predict/measurements.hpp"
#include "model/statistics/estimate.hpp"

namespace ddproxy {

/// The medians of T_compute and of an all-reduce in one phase of a run. Comparing the medians of several
/// phases shows drift. A phase is a round of the calibration, or the sweep. All times are in seconds, the
/// maximum over the ranks, on rank 0 only.
struct Phase {
  std::string name;
  model::Estimate compute;           ///< T_compute; NaN without samples
  double allreduce = not_available;  ///< a(x) at one message size; NaN if nothing is reduced
};

/// Returns T_compute of each sample, in seconds: the maximum over the ranks of the sum over the operations.
/// Call it on rank 0.
std::vector<double> pass_seconds(OperationTimes const& times);

/// The number of samples that a calibration has taken so far.
struct Taken {
  std::size_t passes = 0;
  std::vector<std::size_t> calls;  ///< [message size]
};
/// Returns the number of samples that these tables have.
Taken taken(OperationTimes const& operations, std::vector<SizeTimes> const& sizes);

/// Returns the phase `name`: the medians of the samples that a calibration took since `before`, which is an
/// earlier result of taken(). For the all-reduce it uses the largest message size of at most 4 MiB, or the
/// smallest size if all are larger.
Phase phase_behind(Taken const& before, std::string name, OperationTimes const& operations,
                   std::vector<SizeTimes> const& sizes);

/// Returns the medians of T_compute and of a(x) in each phase, in seconds. Leaves out phases without samples.
model::Drift drift_of(std::vector<Phase> const& phases);

/// Returns T_compute of each sample of a sweep, in seconds, the maximum over the ranks. If T_compute was
/// measured once in each round for all cases, returns one value for each round. `samples` is [case][sample];
/// a case is a strategy with its plan.
std::vector<double> sweep_compute(Config const& config, std::vector<std::vector<Sample>> const& samples);

/// Returns a warning in one line if T_compute differs between the two phases: the 95 % intervals of the
/// medians do not overlap, and the medians differ by at least 0.5 %. Returns an empty text otherwise, and if
/// a phase has only one sample.
std::string phase_doubt(Phase const& measured, Phase const& sweep);

}  // namespace ddproxy
