// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "planner/words.hpp"

namespace ddproxy {
namespace {

std::int64_t to_bytes(double mib) {
  return std::llround(mib * model::bytes_per_mib);
}

Case bucketed(Config const& config, Workload const& workload, double cap_mib) {
  const double first = config.first_bucket_mib > 0 ? config.first_bucket_mib : cap_mib;
  const std::int64_t caps[] = {to_bytes(first), to_bytes(cap_mib)};
  return {Strategy::bucketed, cap_mib, true, model::bucketed_plan(workload.gradient_bytes, caps)};
}

}  // namespace

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
    }
  return cases;
}

model::Timeline predict(Case const& item, Costs const& costs) {
  return item.overlapped ? model::simulate(costs.ready, costs.t_compute, item.plan, costs.allreduce)
                         : model::simulate_after(costs.t_compute, item.plan, costs.allreduce);
}

}  // namespace ddproxy
