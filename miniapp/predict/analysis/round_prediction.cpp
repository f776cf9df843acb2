// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/round_prediction.hpp"

#include <algorithm>
#include <map>

#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

using SecondsBySize = std::map<std::int64_t, double>;

// Returns the mean time of the buckets of each size. `seconds` has the times of the all-reduces of one
// sample. The mean is needed because in the model a(x) depends on the size only. T_comm, the sum of all
// times, stays as measured.
SecondsBySize mean_seconds(model::Plan const& plan, std::vector<double> const& seconds) {
  SecondsBySize means, counts;
  for (auto const& bucket : plan) counts[bucket.bytes] += 1;
  for (std::size_t k = 0; k < plan.size(); ++k) means[plan[k].bytes] += seconds[k] / counts[plan[k].bytes];
  return means;
}

// Returns the cost a(x) for one sample. A size that no bucket of the sample has keeps the cost `before`.
model::AllreduceCost cost_of(SecondsBySize const& now, model::AllreduceCost before) {
  return [now, before = std::move(before)](std::int64_t bytes) {
    const auto found = now.find(bytes);
    return found == now.end() ? before(bytes) : found->second;
  };
}

// Returns kappa and gamma for one sample. Let `a` be the time of an all-reduce alone. While compute runs, it
// takes a / gamma, so compute adds a / gamma - a. This function keeps the added time as it was before the
// sweep, because a small all-reduce waits for a core, and this wait does not depend on `a`. A constant gamma
// would be wrong: a small all-reduce after a large one waits for the link, so its `a` can be a hundred times
// as long as after another small one. A constant gamma would multiply this wait by 1 / gamma, too.
model::Contention contention_of(SecondsBySize const& now, model::Job const& before) {
  if (before.contention.none()) return before.contention;
  std::vector<model::SpeedPoint> table;
  for (auto const& [bytes, seconds] : now) {
    model::Speeds speeds = before.contention(bytes);
    if (seconds > 0) speeds.gamma = 1 / (1 + before.cost(bytes) / seconds * (1 / speeds.gamma - 1));
    table.push_back({bytes, speeds});
  }
  return model::Contention(std::move(table));
}

model::Job job_of(Case const& item, model::Job const& before, Sample const& sample) {
  model::Job job = before;
  job.t_compute = std::ranges::max(sample.compute);
  for (double& ready : job.ready) ready = std::min(ready * job.t_compute / before.t_compute, job.t_compute);
  const SecondsBySize seconds = mean_seconds(item.plan, sample.buckets_alone);
  job.cost = cost_of(seconds, before.cost);
  job.contention = contention_of(seconds, before);
  return job;
}

}  // namespace

RoundPrediction predict_rounds(Case const& item, model::Job const& before,
                               std::vector<Sample> const& samples) {
  std::vector<double> total, exposed;
  for (auto const& sample : samples) {
    if (sample.buckets_alone.size() != item.plan.size()) return {};
    const model::Job job = job_of(item, before, sample);
    total.push_back(predict(item, job).total);
    exposed.push_back(total.back() - job.t_compute);
  }
  if (total.empty()) return {};
  return {model::median(std::move(total)), model::median(std::move(exposed))};
}

}  // namespace ddproxy
