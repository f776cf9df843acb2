// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "model/predict/best_plan.hpp"
#include "model/predict/graph/predict_strategy.hpp"

namespace ddproxy {
namespace {

Case with_cap(model::NamedStrategy const& strategy, Config const& config, Workload const& workload,
              double cap_mib) {
  const std::int64_t cap = to_bytes(cap_mib), caps[] = {first_bucket_of(config).value_or(cap), cap};
  return {strategy, cap_mib, model::bucketed_plan(workload.gradient_bytes, caps)};
}

// Throws std::invalid_argument if a sweep cannot run and predict the graphs of a strategy. A workload without
// operators has no graph yet, so nothing is checked here. model::predict() builds a graph later and checks
// it.
void require_fit(model::NamedStrategy const& strategy, Config const& config, Workload const& workload) {
  constexpr std::size_t ranks = 2;
  if (workload.pass.operations.empty()) return;
  const Case item{strategy, 0, model::per_tensor_plan(workload.gradient_bytes)};
  const auto unfit = model::unfit_for_sweep(step_of(item, workload, config.copies, ranks));
  if (unfit.empty()) return;
  throw std::invalid_argument(
      fmt::format("{}: [sweep] strategies: {}: {}", config.file.string(), strategy.name, unfit));
}

}  // namespace

std::int64_t to_bytes(double mib) {
  return std::llround(mib * model::bytes_per_mib);
}

std::int64_t Case::cap_bytes() const {
  return to_bytes(cap_mib);
}

std::string Case::name() const {
  return has_cap() ? fmt::format("{}/{}", strategy.name, cap_mib) : std::string(strategy.name);
}

model::Copies copies_of(Config const& config) {
  return {config.copies, config.machine.bandwidth / 2, 0};
}

std::vector<Case> make_cases(Config const& config, Workload const& workload) {
  using model::BucketRule;
  std::vector<Case> cases;
  auto const& bytes = workload.gradient_bytes;
  for (auto const& strategy : config.strategies) require_fit(strategy, config, workload);
  for (auto const& strategy : config.strategies) switch (strategy.buckets) {
      case BucketRule::per_tensor:
        cases.push_back({strategy, 0, model::per_tensor_plan(bytes)});
        break;
      case BucketRule::flat:
        cases.push_back({strategy, 0, model::flat_plan(bytes)});
        break;
      case BucketRule::cap:
        for (double cap : config.caps_mib) cases.push_back(with_cap(strategy, config, workload, cap));
        break;
      case BucketRule::optimal:
        cases.push_back({strategy});
        break;
    }
  return cases;
}

model::Ddp ddp_of(Case const& item, model::CopyMode copies, WireFormat wire) {
  return {item.plan, item.overlapped(), item.overlapped() ? copies : model::CopyMode::none,
          data_type_of(wire)};
}

model::RankGraphs step_of(Case const& item, Workload const& workload, model::CopyMode copies,
                          std::size_t ranks) {
  return item.strategy.build(workload.pass, ddp_of(item, copies, workload.wire), ranks);
}

model::FirstBucket first_bucket_of(Config const& config) {
  return config.first_bucket_mib > 0 ? model::FirstBucket(to_bytes(config.first_bucket_mib)) : std::nullopt;
}

void plan_optimal(Case& item, model::Job const& job, model::FirstBucket first_bucket) {
  if (item.is_optimal()) item.plan = model::optimal_plan(job, first_bucket);
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
  return model::predict(item.strategy, job, item.plan);
}

}  // namespace ddproxy
