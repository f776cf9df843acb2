// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/best_plan.hpp"
#include "model/timeline.hpp"

namespace ddproxy::model {

/// What a prediction was measured from.
struct Evidence {
  std::vector<std::vector<std::vector<double>>> operations;  ///< seconds [sample][rank][operation]
  std::vector<std::size_t> gradient_operation;  ///< index of the operation that completes each gradient
  std::vector<std::int64_t> gradient_bytes;
  std::vector<std::int64_t> sizes;             ///< bytes of the all-reduce table, rising
  std::vector<std::vector<double>> allreduce;  ///< seconds [size][sample]
  std::vector<SpeedSamples> contention = {};   ///< sizes rising; none: no contention
  Copies copies = {};
  std::optional<std::int64_t> first_bucket = {};  ///< its own limit, for b*; nothing: the cap
};

/// Which ready times a job is given.
enum class Jitter {
  left_out,  ///< each operation's median over samples and ranks
  included,  ///< r_i the median over samples of the latest rank: a bucket is ready when it is ready
             ///< everywhere
};

/// The job that the medians of the samples make. Throws std::invalid_argument for samples that are missing or
/// of different lengths, and as TableCost does.
Job job_from(Evidence const& evidence, Jitter jitter);

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
/// size of the all-reduce table and of the co-runs by itself. The interval of b* runs from the 2.5 % quantile
/// of the plateaus' low ends to the 97.5 % quantile of their high ends. The same seed gives the same bands.
Bands bootstrap(Evidence const& evidence, Jitter jitter, std::span<const Plan> plans, int replicates = 200,
                std::uint64_t seed = 1);

/// Why a prediction is what it is: E with one term more at a time, seconds.
struct Waterfall {
  double ideal = 0;       ///< the recurrence alone
  double contention = 0;  ///< + kappa and gamma
  double copies = 0;      ///< + copies
  double jitter = 0;      ///< + the latest rank of each gradient: the prediction
};
Waterfall explain(Evidence const& evidence, Plan const& plan);

}  // namespace ddproxy::model
