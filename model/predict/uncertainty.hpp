// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/predict/measurements.hpp"
#include "model/step/bucket_plan.hpp"

namespace ddproxy::model {

struct Band {
  double low = 0;
  double high = 0;
};

struct Bands {
  std::vector<Band> total;    ///< T of each plan, seconds
  std::vector<Band> exposed;  ///< E = T - T_compute of each plan, seconds
  Band best_cap;              ///< b*, bytes: from the lowest to the highest cap of the central plateaus
};

/// 95 % bands by the bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, percentile
/// method): passes are drawn with replacement as a whole, since their operations are correlated, and each
/// size of the all-reduce table and of the co-runs by itself. Each replicate also draws how much slower or
/// faster the phase to come is (Measurements::drift), for compute and for all-reduces. The interval of b*
/// runs from the 2.5 % quantile of the plateaus' low ends to the 97.5 % quantile of their high ends. The same
/// seed gives the same bands.
Bands bootstrap(Measurements const& measurements, Jitter jitter, std::span<const Plan> plans,
                int replicates = 200, std::uint64_t seed = 1);

/// Why a prediction is what it is: E with one term more at a time, seconds.
struct Waterfall {
  double ideal = 0;       ///< the recurrence alone
  double contention = 0;  ///< + kappa and gamma
  double copies = 0;      ///< + copies
  double jitter = 0;      ///< + the latest rank of each gradient: the prediction
};
Waterfall explain(Measurements const& measurements, Plan const& plan);

}  // namespace ddproxy::model
