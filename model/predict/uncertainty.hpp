// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/predict/measurements.hpp"
#include "model/step/bucket_plan.hpp"

namespace ddproxy::model {

/// The two bounds of an interval.
struct Band {
  double low = 0;
  double high = 0;
};

/// The 95 % bands of a prediction.
struct Bands {
  std::vector<Band> total;    ///< T of each plan, seconds
  std::vector<Band> exposed;  ///< E = T - T_compute of each plan, seconds
  Band best_cap;              ///< b*, bytes: from the lowest to the highest cap of the central plateaus
};

/// Returns 95 % bands by the bootstrap, percentile method (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", 1993). Passes are drawn with replacement as a whole, because their operations are correlated.
/// The samples of each size of the all-reduce table, and of each size of kappa and gamma, are drawn
/// separately. Each replicate also draws two factors by which a future phase is slower or faster
/// (Measurements::drift): one for compute and one for all-reduces.
///
/// The interval of b* runs from the 2.5 % quantile of the plateaus' low ends to the 97.5 % quantile of their
/// high ends. The same seed gives the same bands.
Bands bootstrap(Measurements const& measurements, Jitter jitter, std::span<const Plan> plans,
                int replicates = 200, std::uint64_t seed = 1);

/// A breakdown of the predicted E in seconds. Each member adds one term to the one before.
struct Waterfall {
  double ideal = 0;       ///< the recurrence without contention and copies
  double contention = 0;  ///< adds kappa and gamma
  double copies = 0;      ///< adds copies
  double jitter = 0;      ///< adds the latest rank of each gradient; this is the prediction
};
/// Returns the breakdown of E for one plan. Throws as job_from() does.
Waterfall explain(Measurements const& measurements, Plan const& plan);

}  // namespace ddproxy::model
