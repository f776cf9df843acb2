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

/// A case (a strategy with its plan) and its predicted timeline.
struct PredictedCase {
  Case item;
  model::Timeline timeline;
  double exposed;  ///< E, seconds
};

/// What to set in PyTorch's DistributedDataParallel, and the predicted T of each choice, in seconds.
struct PytorchAdvice {
  double default_seconds;  ///< T with the default: a first bucket of 1 MiB, then 25 MiB
  double cap_mib;       ///< best bucket_cap_mb, with a first bucket of 1 MiB and without bucket_cap_mb_list
  double cap_seconds;   ///< T with cap_mib
  model::Plan list;     ///< for bucket_cap_mb_list: optimal_plan(), or the plan of cap_mib if that is faster
  double list_seconds;  ///< T with this list
};

/// The scores of several predictors of one measured curve T(b).
struct CurveScore {
  std::string file;  ///< name of the file with the measured curve, without its folder
  std::vector<std::pair<std::string, model::Score>> rows;  ///< name and score of each predictor
  std::string doubt = {};                                  ///< a warning about the curve, or empty
  std::string why_no_error = {}, why_no_regret = {};  ///< why the errors or the regret are NaN; else empty
};

/// The prediction for one network.
struct Prediction {
  Network network;
  model::Job job;
  std::vector<PredictedCase> cases;
  double t_comm;                      ///< T_comm of the plan with one bucket, seconds
  double floor;                       ///< lower bound on E over all plans, seconds
  model::AlphaBeta affine;            ///< affine fit of the table of a(x)
  model::RelativeError affine_error;  ///< error of this fit
  model::CapRange best;               ///< all caps with the smallest T
  model::CapRange plateau;            ///< the caps around `best` whose T is at most 0.1 % larger
  model::Plan plan;                   ///< the plan with the smallest T
  double plan_seconds;                ///< T of this plan
  PytorchAdvice pytorch;
  std::vector<std::string> warnings;
  std::optional<CurveScore> score = {};     ///< present if a measured curve was given
  std::optional<StepPrediction> step = {};  ///< present if the input describes a whole step
  std::vector<ShardRow> sharding = {};      ///< with --shard: a row for each way to divide the step

  /// Tokens of one rank in one step. 0: unknown, because the input is a table of gradients or layers.
  std::int64_t rank_tokens = 0;

  /// Returns T_compute / (T with the best cap). A single rank does not communicate, so its T is T_compute.
  /// The result is the parallel efficiency of weak scaling, in (0, 1].
  double efficiency() const { return job.t_compute / best.seconds; }
  /// Returns ranks x efficiency(). This number of ranks would process the same tokens per second if
  /// communication took no time. Returns 0 if the number of ranks is unknown.
  double scaling() const { return network.ranks * efficiency(); }
  /// Returns the tokens that all ranks process per second of T with the best cap. Returns 0 if the number of
  /// ranks or of tokens is unknown.
  double tokens_per_s() const { return network.ranks * static_cast<double>(rank_tokens) / best.seconds; }
  /// Returns rho = T_comm / T_compute.
  double rho() const { return t_comm / job.t_compute; }
  /// Returns a cap in `best`, in MiB: 25 if it lies there, else the smallest whole number there, else the low
  /// end.
  double best_cap_mib() const;
};

/// Predicts a job on a network. Throws std::invalid_argument if a time is not finite, and what
/// model::simulate() (model/predict/timeline.hpp) throws.
Prediction make_prediction(PredictInput const& input, Network const& network);

/// If the input describes a whole step, adds a prediction of that step with the buckets of each case of
/// `prediction`. Adds a warning instead if the times of the step's parts or the number of ranks is not known.
/// Throws what predict_step() (miniapp/predict/step_prediction.hpp) throws.
void add_step(Prediction& prediction, PredictInput const& input);

/// Returns the plan that DDP's rule makes with a cap in MiB. `first_bucket` is the limit of the first bucket
/// in bytes. Without a value the cap is also the limit of the first bucket.
model::Plan plan_at(model::Job const& job, double cap_mib, model::FirstBucket first_bucket);

/// A gain of at most this share of T is too small to be worth changing a program.
inline constexpr double negligible_gain = 1e-3;

}  // namespace ddproxy
