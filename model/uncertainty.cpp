// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace ddproxy::model {
namespace {

using Pass = std::vector<std::vector<double>>;  // seconds [rank][operation]

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  if (values[below] == values[above]) return values[below];  // also where both are infinite
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

double median(std::vector<double> const& values) {
  return quantile(values, 0.5);
}

void check(Evidence const& evidence) {
  if (evidence.operations.empty() || evidence.operations[0].empty() || evidence.operations[0][0].empty()) {
    throw std::invalid_argument("evidence: there is no sample of the operations' times");
  }
  const std::size_t operations = evidence.operations[0][0].size();
  for (Pass const& pass : evidence.operations) {
    for (auto const& rank : pass) {
      if (pass.size() == evidence.operations[0].size() && rank.size() == operations) continue;
      throw std::invalid_argument("evidence: the samples differ in their number of ranks or operations");
    }
  }
  for (const std::size_t operation : evidence.gradient_operation) {
    if (operation >= operations) throw std::invalid_argument("evidence: a gradient belongs to no operation");
  }
  if (evidence.gradient_operation.size() != evidence.gradient_bytes.size()) {
    throw std::invalid_argument("evidence: operations and bytes of the gradients differ in number");
  }
  const bool sampled = std::none_of(evidence.allreduce.begin(), evidence.allreduce.end(),
                                    [](auto const& s) { return s.empty(); });
  if (evidence.sizes.size() != evidence.allreduce.size() || !sampled) {
    throw std::invalid_argument("evidence: every size of the all-reduce table needs samples");
  }
}

/// When each operation ends: of the latest rank.
std::vector<double> latest_ends(Pass const& pass) {
  std::vector<double> latest(pass[0].size(), 0.0);
  for (auto const& rank : pass) {
    double end = 0;
    for (std::size_t k = 0; k < rank.size(); ++k) latest[k] = std::max(latest[k], end += rank[k]);
  }
  return latest;
}

std::vector<double> ends_with_jitter(std::vector<Pass const*> const& passes) {
  std::vector<std::vector<double>> ends;
  for (Pass const* pass : passes) ends.push_back(latest_ends(*pass));
  std::vector<double> result;
  for (std::size_t k = 0; k < ends[0].size(); ++k) {
    std::vector<double> samples;
    for (auto const& sample : ends) samples.push_back(sample[k]);
    result.push_back(median(samples));
  }
  return result;
}

std::vector<double> ends_without_jitter(std::vector<Pass const*> const& passes) {
  std::vector<double> result;
  double end = 0;
  for (std::size_t k = 0; k < (*passes[0])[0].size(); ++k) {
    std::vector<double> samples;
    for (Pass const* pass : passes) {
      for (auto const& rank : *pass) samples.push_back(rank[k]);
    }
    result.push_back(end += median(samples));
  }
  return result;
}

Job assemble(Evidence const& evidence, std::vector<double> const& ends, std::vector<CostPoint> table,
             std::vector<SpeedSamples> const& contention) {
  Job job;
  job.t_compute = ends.back();
  for (const std::size_t operation : evidence.gradient_operation) job.ready.push_back(ends[operation]);
  job.gradient_bytes = evidence.gradient_bytes;
  job.cost = TableCost(std::move(table));
  job.contention = contention_of(contention);
  job.copies = evidence.copies;
  return job;
}

std::vector<double> ends_of(std::vector<Pass const*> const& passes, Jitter jitter) {
  return jitter == Jitter::included ? ends_with_jitter(passes) : ends_without_jitter(passes);
}

/// Draws with replacement; the same on every machine, which the distributions of the standard library are
/// not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  Job job(Evidence const& evidence, Jitter jitter) {
    std::vector<Pass const*> passes;
    for (std::size_t i = 0; i < evidence.operations.size(); ++i) {
      passes.push_back(&evidence.operations[below(evidence.operations.size())]);
    }
    std::vector<CostPoint> table;
    for (std::size_t i = 0; i < evidence.sizes.size(); ++i) {
      table.push_back({evidence.sizes[i], median(resampled(evidence.allreduce[i]))});
    }
    std::vector<SpeedSamples> contention;
    for (auto const& [bytes, samples] : evidence.contention)
      contention.push_back({bytes, resampled(samples)});
    return assemble(evidence, ends_of(passes, jitter), std::move(table), contention);
  }

 private:
  template <class Value>
  std::vector<Value> resampled(std::vector<Value> const& samples) {
    std::vector<Value> drawn;
    for (std::size_t i = 0; i < samples.size(); ++i) drawn.push_back(samples[below(samples.size())]);
    return drawn;
  }
  std::mt19937_64 engine_;
};

constexpr double low_share = 0.025, high_share = 0.975;  // of a central 95 %

Band central(std::vector<double> const& values) {
  return {quantile(values, low_share), quantile(values, high_share)};
}

/// Of caps, one of the values itself: between a cap and "no upper end" there is nothing.
Band central_caps(std::vector<double> lows, std::vector<double> highs) {
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  const double last = static_cast<double>(lows.size() - 1);
  return {lows[static_cast<std::size_t>(std::floor(low_share * last))],
          highs[static_cast<std::size_t>(std::ceil(high_share * last))]};
}

double exposed(Job const& job, Plan const& plan) {
  return simulate(job, plan).total - job.t_compute;
}

}  // namespace

Job job_from(Evidence const& evidence, Jitter jitter) {
  check(evidence);
  std::vector<Pass const*> passes;
  for (Pass const& pass : evidence.operations) passes.push_back(&pass);
  std::vector<CostPoint> table;
  for (std::size_t i = 0; i < evidence.sizes.size(); ++i) {
    table.push_back({evidence.sizes[i], median(evidence.allreduce[i])});
  }
  return assemble(evidence, ends_of(passes, jitter), std::move(table), evidence.contention);
}

Bands bootstrap(Evidence const& evidence, Jitter jitter, std::span<const Plan> plans, int replicates,
                std::uint64_t seed) {
  check(evidence);
  if (replicates < 1) throw std::invalid_argument("bootstrap: at least one replicate is needed");
  Draw draw(seed);
  std::vector<std::vector<double>> totals(plans.size());
  std::vector<std::vector<double>> exposures(plans.size());
  std::vector<double> lows, highs;
  for (int replicate = 0; replicate < replicates; ++replicate) {
    const Job job = draw.job(evidence, jitter);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      totals[k].push_back(simulate(job, plans[k]).total);
      exposures[k].push_back(totals[k].back() - job.t_compute);
    }
    const CapRange best = best_caps(sweep_caps(job, evidence.first_bucket));
    lows.push_back(static_cast<double>(best.low));
    highs.push_back(static_cast<double>(best.high));
  }
  Bands bands;
  for (auto const& values : totals) bands.total.push_back(central(values));
  for (auto const& values : exposures) bands.exposed.push_back(central(values));
  bands.best_cap = central_caps(std::move(lows), std::move(highs));
  return bands;
}

Waterfall explain(Evidence const& evidence, Plan const& plan) {
  const Job full = job_from(evidence, Jitter::left_out);
  Job job = full;
  job.contention = {};
  job.copies = {};
  Waterfall waterfall;
  waterfall.ideal = exposed(job, plan);
  job.contention = full.contention;
  waterfall.contention = exposed(job, plan);
  waterfall.copies = exposed(full, plan);
  waterfall.jitter = exposed(job_from(evidence, Jitter::included), plan);
  return waterfall;
}

}  // namespace ddproxy::model
