// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/measurements.hpp"

namespace ddproxy {

/// The same work, timed in one phase of a run; samples in seconds, each the maximum over ranks; on rank 0
/// only.
struct Phase {
  std::string name;
  std::vector<double> compute;    ///< T_compute
  std::vector<double> allreduce;  ///< a(x) of at most 4 MiB; empty where nothing is reduced
};

/// T_compute of each sample: the sum over the operations, of the slowest rank.
std::vector<double> pass_seconds(OperationTimes const& times);

/// The number of samples so far: of passes, and of each message size.
struct Taken {
  std::size_t passes = 0;
  std::vector<std::size_t> calls;
};

/// Makes a phase of the samples of a calibration behind those of `before`; a(x) of the largest message of at
/// most 4 MiB, or of the smallest one.
Phase phase_behind(Taken const& before, std::string name, OperationTimes const& layers,
                   std::vector<SizeTimes> const& sizes);

/// The medians of the phases.
model::Drift drift_of(std::vector<Phase> const& phases);

/// T_compute of a sweep, seconds; with one T_compute a round each round counts once.
std::vector<double> sweep_compute(Config const& config, std::vector<std::vector<Sample>> const& samples);

/// One line where T_compute of the two phases differs by more than both 95 % intervals and by 0.5 % at least;
/// empty where it does not, or where a phase has one sample.
std::string phase_doubt(Phase const& measured, Phase const& sweep);

}  // namespace ddproxy
