// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "model/predict/best_plan.hpp"
#include "model/statistics/deviation.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/resample.hpp"

namespace ddproxy::model {
namespace {

/// Returns the standard deviation of the logarithms; NaN for fewer than two values.
double deviation_of_logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return standard_deviation(values);
}

/// Draws random numbers and samples with replacement. It implements its own distributions, because the
/// distributions of the standard library differ between machines.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  /// Returns a replicate. It has the same number of passes, and the same number of samples of each size, as
  /// the measurements.
  Measurements measurements(Measurements drawn) {
    drawn.operations = resampled(drawn.operations, engine_);
    for (auto& samples : drawn.allreduce) samples = resampled(samples, engine_);
    for (auto& size : drawn.contention) size.samples = resampled(size.samples, engine_);
    if (const double factor = phase_factor(drawn.drift.compute); factor != 1)
      for (auto& pass : drawn.operations)
        for (auto& rank : pass) scale(rank, factor);
    if (const double factor = phase_factor(drawn.drift.allreduce); factor != 1)
      for (auto& samples : drawn.allreduce) scale(samples, factor);
    return drawn;
  }

 private:
  static void scale(std::vector<double>& values, double factor) {
    for (double& value : values) value *= factor;
  }

  /// Returns a uniform random number, above 0 and at most 1.
  double uniform() { return (static_cast<double>(engine_() >> 11) + 1) * 0x1p-53; }

  /// Returns a standard normal random number (Box and Muller, Ann. Math. Statist. 29(2), 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  /// Draws the factor by which a future phase is slower than the measured phase. Both phases deviate from
  /// their common mean with the standard deviation s of the logarithms, estimated from n phases. The factor
  /// is therefore exp(sqrt(2) s t), with t from Student's distribution with n - 1 degrees of freedom. With
  /// two phases t can be so large that times become 0 or infinite, so the factor is kept between 1e-6 and
  /// 1e6.
  double phase_factor(std::vector<double> const& phases) {
    const double s = deviation_of_logarithms(phases);
    if (!(s > 0)) return 1;
    double squares = 0;
    for (std::size_t i = 1; i < phases.size(); ++i) squares += std::pow(normal(), 2);
    const double t = normal() / std::sqrt(squares / static_cast<double>(phases.size() - 1));
    return std::clamp(std::exp(std::numbers::sqrt2 * s * t), 1e-6, 1e6);
  }

  std::mt19937_64 engine_;
};

/// Returns the quantiles of the caps. They are values of the sample and are not interpolated, because there
/// is no value between a cap and "no upper end".
Band central_caps(std::vector<double> const& lows, std::vector<double> const& highs) {
  return {quantile(lows, low_share, Neighbour::below), quantile(highs, high_share, Neighbour::above)};
}

double exposed(Job const& job, Plan const& plan) {
  return simulate(job, plan).total - job.t_compute;
}

}  // namespace

Bands bootstrap(Measurements const& measurements, Jitter jitter, std::span<const Plan> plans, int replicates,
                std::uint64_t seed) {
  if (replicates < 1) throw std::invalid_argument("bootstrap: at least one replicate is needed");
  Draw draw(seed);
  std::vector<std::vector<double>> totals(plans.size());
  std::vector<std::vector<double>> exposures(plans.size());
  std::vector<double> lows, highs;
  for (int replicate = 0; replicate < replicates; ++replicate) {
    const Job job = job_from(draw.measurements(measurements), jitter);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      totals[k].push_back(simulate(job, plans[k]).total);
      exposures[k].push_back(totals[k].back() - job.t_compute);
    }
    const CapRange best = best_caps(sweep_caps(job, measurements.first_bucket));
    lows.push_back(static_cast<double>(best.low));
    highs.push_back(static_cast<double>(best.high));
  }
  Bands bands;
  for (auto const& values : totals) bands.total.push_back(central(values));
  for (auto const& values : exposures) bands.exposed.push_back(central(values));
  bands.best_cap = central_caps(lows, highs);
  return bands;
}

Waterfall explain(Measurements const& measurements, Plan const& plan) {
  const Job full = job_from(measurements, Jitter::left_out);
  Job job = full;
  job.contention = {};
  job.copies = {};
  job.handover = 0;
  Waterfall waterfall;
  waterfall.ideal = exposed(job, plan);
  job.contention = full.contention;
  job.handover = full.handover;
  waterfall.contention = exposed(job, plan);
  waterfall.copies = exposed(full, plan);
  waterfall.jitter = exposed(job_from(measurements, Jitter::included), plan);
  return waterfall;
}

}  // namespace ddproxy::model
