// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/analysis/round_prediction.hpp"

#include <algorithm>
#include <map>

#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

// Returns the cost a(x) from the all-reduces of one sample, whose times are `seconds`. In the model, a(x)
// depends on the size only. So all buckets of the same size get their mean time, and T_comm remains the
// measured sum. All other sizes have the cost `before`.
model::AllreduceCost cost_of(model::Plan const& plan, std::vector<double> const& seconds,
                             model::AllreduceCost before) {
  struct Sum {
    double seconds = 0, count = 0;
  };
  std::map<std::int64_t, Sum> by_size;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    by_size[plan[k].bytes].seconds += seconds[k];
    by_size[plan[k].bytes].count += 1;
  }
  return [by_size = std::move(by_size), before = std::move(before)](std::int64_t bytes) {
    const auto found = by_size.find(bytes);
    return found == by_size.end() ? before(bytes) : found->second.seconds / found->second.count;
  };
}

model::Job job_of(Case const& item, model::Job const& before, Sample const& sample) {
  model::Job job = before;
  job.t_compute = std::ranges::max(sample.compute);
  for (double& ready : job.ready) ready = std::min(ready * job.t_compute / before.t_compute, job.t_compute);
  job.cost = cost_of(item.plan, sample.buckets_alone, before.cost);
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
