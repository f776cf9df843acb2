// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "miniapp/analysis/figure_of_merit.hpp"
#include "miniapp/input/cases.hpp"
#include "model/predict/score.hpp"
#include "model/statistics/estimate.hpp"

namespace ddproxy {

/// One sample of one case, a value a rank, in seconds.
struct Sample {
  std::vector<double> total;         ///< T
  std::vector<double> backward_end;  ///< with communication
  std::vector<double> compute;       ///< T_compute
  std::vector<double> arrival;       ///< at the starting barrier, after the first rank
  /// Of each bucket's all-reduce alone, right after the pass; maximum over ranks, not a value a rank. Empty
  /// where nothing is reduced, or the time is known from a table.
  std::vector<double> buckets_alone = {};
  double probe_before = not_available;  ///< of T: of the machine's state (model/predict/machine_state.hpp)
  double probe_after = not_available;
  double compute_probe_before = not_available;  ///< of T_compute
  double compute_probe_after = not_available;
  double communication_alone() const;  ///< their sum; NaN where there are none
};

/// What the samples of a case say, every sample being the maximum over ranks.
struct CaseResult {
  std::size_t samples = 0;
  model::Estimate total;     ///< T
  model::Estimate exposed;   ///< E = T - T_compute of the same sample
  double compute = 0;        ///< median T_compute
  double slowdown = 0;       ///< median of the backward pass's end - T_compute
  double tail = 0;           ///< median of T - the backward pass's end
  double skew = 0;           ///< median spread between the ranks' ends of the backward pass
  int slowest_rank = 0;      ///< whose backward pass ended last in most samples
  double communication = 0;  ///< T_comm of the plan, from the table of a(x)
  /// Median of the T_comm that was measured right after each sample; NaN where none was.
  double communication_alone = not_available;
  std::optional<model::Estimate>
      overlap;  ///< (T_compute + T_comm - T) / min of both, T_comm of the same round
                ///< where it was measured; absent where the smaller is within T's noise
};

/// Throws std::invalid_argument where there is no sample.
CaseResult analyse(std::vector<Sample> const& samples, double communication);

/// What the same model predicts from T_compute and the all-reduces alone of each sample's own round: the
/// median over the samples, seconds. A miss of the prediction from before the sweep is split by it: what
/// the two predictions differ by is the drift of the machine, the rest the model's.
struct RoundPrediction {
  double total = not_available;
  double exposed = not_available;
};

/// A case of the sweep with what was measured and predicted.
struct CaseReport {
  Case item;
  std::optional<CaseResult> measured;
  model::Timeline predicted;
  double predicted_compute = 0;
  RoundPrediction same_round = {};
  double uncontended = not_available;  ///< E that the model predicts without contention, seconds
  double predicted_exposed() const { return predicted.total - predicted_compute; }
};

/// The best measured bucketed case, or nullptr.
CaseReport const* best_bucketed(std::vector<CaseReport> const& reports);

/// The measured bucketed cases, as model::score() takes them: E is the median of the paired differences, the
/// tail its own median, the slowdown what remains.
std::vector<model::ScoredCase> scored_cases(std::vector<CaseReport> const& reports);

/// All of the figure of merit but bus_bw_GBps and valid. `tokens`: of a rank.
FigureOfMerit judge(std::vector<CaseReport> const& reports, int ranks, std::int64_t tokens);

/// The score's part of the figure of merit, with the reasons for what is not available.
void take_score(FigureOfMerit& figures, std::span<const model::ScoredCase> cases,
                model::ScoreCard const& card);

/// Which limit the score exceeds, in one line; empty where none is set or all are kept. A limit on what is
/// not available is exceeded.
std::string beyond_limits(FigureOfMerit const& figures, std::optional<double> max_model_error,
                          std::optional<double> max_regret);

}  // namespace ddproxy
