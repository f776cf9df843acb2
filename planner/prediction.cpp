// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ddproxy {
namespace {

constexpr double same = 1e-9;  // relative difference of T that is rounding
constexpr double pytorch_cap_mib = 25, pytorch_first_mib = 1;

double handy_cap_mib(model::CapRange const& range) {
  if (range.low <= to_bytes(pytorch_cap_mib) && to_bytes(pytorch_cap_mib) <= range.high)
    return pytorch_cap_mib;
  const double low = static_cast<double>(range.low) / model::bytes_per_mib;
  return to_bytes(std::ceil(low)) <= range.high ? std::ceil(low) : low;
}

std::vector<PredictedCase> predict_cases(PredictInput const& input, Prediction const& prediction) {
  std::vector<PredictedCase> cases;
  for (auto& item : make_cases(input.config, input.workload)) {
    if (item.strategy == Strategy::optimal) item.plan = prediction.plan;
    auto timeline = predict(item, prediction.job);
    const double exposed = timeline.total - prediction.job.t_compute;
    cases.push_back({std::move(item), std::move(timeline), exposed});
  }
  return cases;
}

PytorchAdvice advise(model::Job const& job, model::Plan const& plan, double plan_seconds) {
  const auto sweep = model::sweep_caps(job, to_bytes(pytorch_first_mib));
  const auto best = model::best_caps(sweep, same);
  const double as_is = model::simulate(job, plan_at(job, pytorch_cap_mib, pytorch_first_mib)).total;
  const double cap_mib = handy_cap_mib(best);
  if (plan_seconds <= best.seconds * (1 + model::equal_share))
    return {as_is, cap_mib, best.seconds, plan, plan_seconds};
  return {as_is, cap_mib, best.seconds, plan_at(job, cap_mib, pytorch_first_mib), best.seconds};
}

// The cases that use a(x) outside of what was measured.
void warn_of_extrapolation(Prediction& prediction, PredictInput const& input) {
  std::vector<std::string> names;
  for (auto const& predicted : prediction.cases)
    for (auto const& bucket : predicted.item.plan)
      if (!prediction.network.covers(wire_bytes(bucket.bytes, input.workload.wire))) {
        names.push_back(predicted.item.name());
        break;
      }
  auto const& points = prediction.network.points;
  if (!names.empty())
    prediction.warnings.push_back(
        fmt::format("{}buckets outside the table's {} to {} bytes, where a(x) is extrapolated: {}",
                    prediction.network.ranks > 0 ? fmt::format("{} ranks: ", prediction.network.ranks) : "",
                    points.front().bytes, points.back().bytes, fmt::join(names, ", ")));
}

}  // namespace

double Prediction::best_cap_mib() const {
  return handy_cap_mib(best);
}

model::Plan plan_at(model::Job const& job, double cap_mib, double first_mib) {
  const std::int64_t caps[] = {to_bytes(first_mib > 0 ? first_mib : cap_mib), to_bytes(cap_mib)};
  return model::bucketed_plan(job.gradient_bytes, caps);
}

Prediction make_prediction(PredictInput const& input, Network const& network) {
  Prediction result{network, input.job(network.cost), {}, 0, 0, {}, {}, {}, {}, {}, 0, {}, network.warnings};
  model::Job const& job = result.job;
  result.t_comm = model::communication_seconds(model::flat_plan(job.gradient_bytes), job.cost);
  result.floor = model::floor_seconds(job);
  result.affine = model::fit_alpha_beta(network.points);
  result.affine_error = model::error_of(result.affine, network.points);
  const double first = input.config.first_bucket_mib;
  const auto sweep = model::sweep_caps(job, first > 0 ? std::optional(to_bytes(first)) : std::nullopt);
  result.best = model::best_caps(sweep, same);
  result.plateau = model::best_caps(sweep, negligible_gain);
  result.plan = model::optimal_plan(job);
  result.plan_seconds = model::simulate(job, result.plan).total;
  result.pytorch = advise(job, result.plan, result.plan_seconds);
  result.cases = predict_cases(input, result);
  warn_of_extrapolation(result, input);
  return result;
}

}  // namespace ddproxy
