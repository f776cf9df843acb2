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

/// Times a few passes and a few all-reduces of at most 4 MiB, all alone, so that phases can be compared.
/// `layers`: the passes, where they were timed already. Collective. Nothing of the cases to be predicted
/// runs.
Phase measure_phase(RankContext& context, std::string name, OperationTimes const* layers = nullptr);

/// The medians of the phases.
model::Drift drift_of(std::vector<Phase> const& phases);

/// T_compute of a sweep, seconds; with one T_compute a round each round counts once.
std::vector<double> sweep_compute(Config const& config, std::vector<std::vector<Sample>> const& samples);

/// One line where T_compute of the two phases differs by more than both 95 % intervals and by 0.5 % at least;
/// empty where it does not, or where a phase has one sample.
std::string phase_doubt(Phase const& measured, Phase const& sweep);

}  // namespace ddproxy
