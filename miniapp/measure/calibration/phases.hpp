// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/measurements.hpp"

namespace ddproxy {

/// Times of the same work in one phase of a run, to detect drift between phases. All are [sample] in seconds,
/// the maximum over the ranks, on rank 0 only.
struct Phase {
  std::string name;
  std::vector<double> compute;    ///< T_compute
  std::vector<double> allreduce;  ///< a(x) at one message size; empty if nothing is reduced
};

/// Returns T_compute of each sample, in seconds: the sum over the operations, of the slowest rank. On rank 0
/// only.
std::vector<double> pass_seconds(OperationTimes const& times);

/// The number of samples that were taken so far.
struct Taken {
  std::size_t passes = 0;
  std::vector<std::size_t> calls;  ///< [message size]; empty: none
};

/// Makes a phase of those samples of a calibration that follow the first `before` ones. Its message size is
/// the largest of at most 4 MiB, or the smallest if all are larger.
Phase phase_behind(Taken const& before, std::string name, OperationTimes const& layers,
                   std::vector<SizeTimes> const& sizes);

/// Returns the medians of each phase.
model::Drift drift_of(std::vector<Phase> const& phases);

/// Returns T_compute of each sample of a sweep, in seconds, the maximum over the ranks. If T_compute was
/// measured once a round for all cases, each round counts once. `samples` is [case][sample].
std::vector<double> sweep_compute(Config const& config, std::vector<std::vector<Sample>> const& samples);

/// Returns a warning in one line if T_compute differs between the two phases: their 95 % intervals do not
/// overlap, and the medians differ by at least 0.5 %. Returns an empty text otherwise, and if a phase
/// has only one sample.
std::string phase_doubt(Phase const& measured, Phase const& sweep);

}  // namespace ddproxy
