// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "miniapp/input/words.hpp"
#include "model/predict/best_plan.hpp"

namespace ddproxy {
namespace {

Case bucketed(Config const& config, Workload const& workload, double cap_mib) {
  const std::int64_t cap = to_bytes(cap_mib), caps[] = {first_bucket_of(config).value_or(cap), cap};
  return {Strategy::bucketed, cap_mib, true, model::bucketed_plan(workload.gradient_bytes, caps)};
}

}  // namespace

std::int64_t to_bytes(double mib) {
  return std::llround(mib * model::bytes_per_mib);
}

std::int64_t Case::cap_bytes() const {
  return to_bytes(cap_mib);
}

std::string Case::name() const {
  const auto word = word_of(strategy, strategy_words);
  return strategy == Strategy::bucketed ? fmt::format("{}/{}", word, cap_mib) : std::string(word);
}

std::vector<Case> make_cases(Config const& config, Workload const& workload) {
  std::vector<Case> cases;
  auto const& bytes = workload.gradient_bytes;
  for (Strategy strategy : config.strategies) switch (strategy) {
      case Strategy::naive:
        cases.push_back({strategy, 0, false, model::per_tensor_plan(bytes)});
        break;
      case Strategy::flat:
        cases.push_back({strategy, 0, false, model::flat_plan(bytes)});
        break;
      case Strategy::per_tensor:
        cases.push_back({strategy, 0, true, model::per_tensor_plan(bytes)});
        break;
      case Strategy::bucketed:
        for (double cap : config.caps_mib) cases.push_back(bucketed(config, workload, cap));
        break;
      case Strategy::optimal:
        cases.push_back({strategy, 0, true, {}});
        break;
    }
  return cases;
}

model::FirstBucket first_bucket_of(Config const& config) {
  return config.first_bucket_mib > 0 ? model::FirstBucket(to_bytes(config.first_bucket_mib)) : std::nullopt;
}

void plan_optimal(Case& item, model::Job const& job, model::FirstBucket first_bucket) {
  if (item.strategy == Strategy::optimal) item.plan = model::optimal_plan(job, first_bucket);
}

std::optional<model::Job> input_job(Config const& config, Workload const& workload) {
  const auto cost = input_cost(config);
  if (!cost || workload.operation_seconds.empty()) return std::nullopt;
  model::Job job{ready_times(workload.pass, workload.operation_seconds), 0, workload.gradient_bytes,
                 of_gradients(*cost, config.wire)};
  job.t_compute = std::accumulate(workload.operation_seconds.begin(), workload.operation_seconds.end(), 0.0);
  return job;
}

model::Timeline predict(Case const& item, model::Job const& job) {
  if (item.overlapped) return model::simulate(job, item.plan);
  return model::simulate_after(job.t_compute, item.plan, job.cost);
}

}  // namespace ddproxy
