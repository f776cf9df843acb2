// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/predict/network.hpp"
#include "miniapp/predict/predict_input.hpp"
#include "miniapp/predict/step_prediction.hpp"
#include "model/predict/best_plan.hpp"
#include "model/predict/score.hpp"

namespace ddproxy {

/// A case with its predicted timeline.
struct PredictedCase {
  Case item;
  model::Timeline timeline;
  double exposed;  ///< E, seconds
};

/// What to set in PyTorch's DistributedDataParallel, and the predicted T of each choice. Seconds count from
/// the start of the backward pass.
struct PytorchAdvice {
  double default_seconds;  ///< with the default: a first bucket of 1 MiB, then 25 MiB
  double cap_mib;          ///< best cap after a first bucket of 1 MiB, for versions that take no list
  double cap_seconds;
  model::Plan list;  ///< plan for bucket_cap_mb_list: the best plan, or that of cap_mib if it is faster
  double list_seconds;
};

/// Predictors of a measured curve, each with its score.
struct CurveScore {
  std::string file;
  std::vector<std::pair<std::string, model::Score>> rows;  ///< ddproxy, the other files, the baselines
  std::string doubt = {};                                  ///< a warning about the curve, or empty
  std::string why_no_error = {}, why_no_regret = {};       ///< reasons why these are NaN, else empty
};

/// The prediction for one network.
struct Prediction {
  Network network;
  model::Job job;
  std::vector<PredictedCase> cases;
  double t_comm;            ///< T_comm of the plan with one bucket, seconds
  double floor;             ///< lower bound on E over all plans, seconds
  model::AlphaBeta affine;  ///< affine fit of the table of a(x)
  model::RelativeError affine_error;
  model::CapRange best;     ///< all caps with the smallest T
  model::CapRange plateau;  ///< the caps around them with T at most 0.1 % larger
  model::Plan plan;         ///< the plan with the smallest T
  double plan_seconds;      ///< T of this plan
  PytorchAdvice pytorch;
  std::vector<std::string> warnings;
  std::optional<CurveScore> score = {};     ///< present if a measured curve was given
  std::optional<StepPrediction> step = {};  ///< present if the input describes a whole step

  /// Tokens of one rank in one step. 0 if the input does not say (tables of gradients or layers).
  std::int64_t rank_tokens = 0;

  /// Returns T of a single rank divided by T with the best cap. This is the parallel efficiency of weak
  /// scaling, in (0, 1].
  double efficiency() const { return job.t_compute / best.seconds; }
  /// Returns how many ranks without communication would process as many tokens per second. 0 if the number of
  /// ranks is unknown.
  double scaling() const { return network.ranks * efficiency(); }
  /// Returns the tokens of all ranks per second of the backward pass, with the best cap. 0 if the ranks or
  /// the tokens are unknown.
  double tokens_per_s() const { return network.ranks * static_cast<double>(rank_tokens) / best.seconds; }
  /// Returns rho = T_comm / T_compute.
  double rho() const { return t_comm / job.t_compute; }
  double best_cap_mib() const;  ///< returns a round number within `best`: 25, a whole number, or its low end
};

/// Predicts a job on a network. Throws as model::simulate() does, and std::invalid_argument if a time is
/// not finite.
Prediction make_prediction(PredictInput const& input, Network const& network);

/// Adds the prediction of the whole step, with the buckets of every case, if the input describes one. Adds a
/// warning instead if the times of its parts or the number of ranks are not known.
void add_step(Prediction& prediction, PredictInput const& input);

/// Returns the plan of DDP's rule for a cap.
model::Plan plan_at(model::Job const& job, double cap_mib, model::FirstBucket first_bucket);

/// A gain of at most this share of T is not worth a change of a program.
inline constexpr double negligible_gain = 1e-3;

}  // namespace ddproxy
