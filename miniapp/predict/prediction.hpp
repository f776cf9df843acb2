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
#include "model/predict/best_plan.hpp"
#include "model/predict/score.hpp"

namespace ddproxy {

struct PredictedCase {
  Case item;
  model::Timeline timeline;
  double exposed;  ///< E, seconds
};

/// What PyTorch's DistributedDataParallel is expected to take, seconds from the start of its backward pass.
struct PytorchAdvice {
  double default_seconds;  ///< first bucket 1 MiB, then 25
  double cap_mib;          ///< the best cap behind a first bucket of 1 MiB: versions without a list
  double cap_seconds;
  model::Plan list;  ///< as bucket_cap_mb_list: the best plan, or that of the cap where it is faster
  double list_seconds;
};

/// Predictors of a measured curve, each with its score.
struct CurveScore {
  std::string file;
  std::vector<std::pair<std::string, model::Score>> rows;  ///< ddproxy, the other files, the baselines
  std::string doubt = {};                                  ///< a line; empty where there is none
  std::string why_no_error = {}, why_no_regret = {};       ///< reasons where they are NaN, else empty
};

struct Prediction {
  Network network;
  model::Job job;
  std::vector<PredictedCase> cases;
  double t_comm;            ///< of the flat plan, seconds
  double floor;             ///< seconds
  model::AlphaBeta affine;  ///< fitted to a(x)'s table
  model::RelativeError affine_error;
  model::CapRange best;     ///< every cap with the least T
  model::CapRange plateau;  ///< the caps around it with T at most 0.1 % above
  model::Plan plan;         ///< the best of all
  double plan_seconds;
  PytorchAdvice pytorch;
  std::vector<std::string> warnings;
  std::optional<CurveScore> score = {};  ///< where a measured curve was given

  /// Of a step on one rank; 0 where the input does not say (tables of gradients or layers).
  std::int64_t rank_tokens = 0;

  /// T of a rank alone over T with the best cap: the parallel efficiency of weak scaling, in (0, 1].
  double efficiency() const { return job.t_compute / best.seconds; }
  /// How many ranks without communication would be as fast; 0 where the number of ranks is not known.
  double scaling() const { return network.ranks * efficiency(); }
  /// Of all ranks, with the best cap: tokens over the seconds of the backward pass; 0 where ranks or tokens
  /// are not known.
  double tokens_per_s() const { return network.ranks * static_cast<double>(rank_tokens) / best.seconds; }
  double rho() const { return t_comm / job.t_compute; }
  double best_cap_mib() const;  ///< a handy number in best: 25, a whole one, or its low end
};

/// Throws as model::simulate() does, and std::invalid_argument where a time is no finite number.
Prediction make_prediction(PredictInput const& input, Network const& network);

/// DDP's plan for a cap.
model::Plan plan_at(model::Job const& job, double cap_mib, model::FirstBucket first_bucket);

/// The cap that most runs are made with: PyTorch DDP's default.
inline constexpr double common_cap_mib = 25;

/// A gain that is not worth a line of code: this share of T.
inline constexpr double negligible_gain = 1e-3;

}  // namespace ddproxy
