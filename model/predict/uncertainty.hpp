// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/predict/measurements.hpp"
#include "model/statistics/estimate.hpp"
#include "model/step/bucket_plan.hpp"

namespace ddproxy::model {

/// The 95 % bands of a prediction.
struct Bands {
  std::vector<Band> total;    ///< T of each plan, seconds
  std::vector<Band> exposed;  ///< E = T - T_compute of each plan, seconds
  Band best_cap;              ///< b*, bytes; see bootstrap()
};

/// Returns 95 % bands by the percentile method of the bootstrap (Efron and Tibshirani, "An Introduction to
/// the Bootstrap", 1993). Whole backward passes are drawn with replacement, because the operations of a pass
/// are correlated. The samples of each size of the all-reduce table, and of each size of the contention
/// (kappa and gamma), are drawn separately. Each replicate also draws two factors by which a future phase is
/// slower or faster (Measurements::drift): one for compute and one for all-reduces.
///
/// In each replicate b* is a range of caps (best_caps()). The interval of b* runs from the 2.5 % quantile of
/// the low ends of these ranges to the 97.5 % quantile of their high ends. The same seed gives the same
/// bands. Throws std::invalid_argument if `replicates` is less than 1, and what job_from() (measurements.hpp)
/// throws.
Bands bootstrap(Measurements const& measurements, Jitter jitter, std::span<const Plan> plans,
                int replicates = 200, std::uint64_t seed = 1);

/// Four predictions of E, in seconds. Each one includes all effects of the previous ones.
struct Waterfall {
  double ideal = 0;       ///< without contention, handover, copies and jitter
  double contention = 0;  ///< adds contention (kappa and gamma) and the handover of buckets
  double copies = 0;      ///< gradients are also copied into and out of buckets
  double jitter = 0;      ///< each bucket also waits for the latest rank; this is the prediction of the run
};
/// Returns the breakdown of E for one plan. Throws what job_from() throws.
Waterfall explain(Measurements const& measurements, Plan const& plan);

}  // namespace ddproxy::model
