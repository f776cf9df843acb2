// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/prediction.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string_view>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/predict/table_warnings.hpp"
#include "model/cost/topology.hpp"

namespace ddproxy {
namespace {

constexpr double same = 1e-9;  // two T that differ by less than this share differ by rounding only
constexpr std::int64_t pytorch_first_bucket = std::int64_t{1} << 20;

double handy_cap_mib(model::CapRange const& range) {
  if (range.low <= to_bytes(common_cap_mib) && to_bytes(common_cap_mib) <= range.high) return common_cap_mib;
  const double low = static_cast<double>(range.low) / model::bytes_per_mib;
  return to_bytes(std::ceil(low)) <= range.high ? std::ceil(low) : low;
}

std::vector<PredictedCase> predict_cases(PredictInput const& input, Prediction const& prediction) {
  std::vector<PredictedCase> cases;
  for (auto& item : make_cases(input.config, input.workload)) {
    if (item.is_optimal()) item.plan = prediction.plan;
    auto timeline = predict(item, prediction.job);
    const double exposed = timeline.total - prediction.job.t_compute;
    cases.push_back({std::move(item), std::move(timeline), exposed});
  }
  return cases;
}

PytorchAdvice advise(model::Job const& job, model::Plan const& plan, double plan_seconds) {
  const auto sweep = model::sweep_caps(job, pytorch_first_bucket);
  const auto best = model::best_caps(sweep, same);
  const double as_is = model::simulate(job, plan_at(job, common_cap_mib, pytorch_first_bucket)).total;
  const double cap_mib = handy_cap_mib(best);
  if (plan_seconds <= best.seconds * (1 + model::equal_share))
    return {as_is, cap_mib, best.seconds, plan, plan_seconds};
  return {as_is, cap_mib, best.seconds, plan_at(job, cap_mib, pytorch_first_bucket), best.seconds};
}

void check_finite(std::string const& what, double seconds) {
  if (!std::isfinite(seconds))
    throw std::invalid_argument(
        fmt::format("predict: {} is {}, because the seconds are too large to add up; check the units of the "
                    "tables, and the scales",
                    what, seconds));
}

// Throws if a time is not finite. A sum or an extrapolated value can be infinite although all numbers of the
// tables are finite.
void check_finite(Prediction const& p) {
  check_finite("T_comm", p.t_comm);
  for (auto const& c : p.cases) check_finite("T of " + c.item.name(), c.timeline.total);
  check_finite("T of the best cap", p.best.seconds);
  check_finite("T of the best plan", p.plan_seconds);
  check_finite("T of PyTorch's default", p.pytorch.default_seconds);
  check_finite("T of PyTorch's cap", p.pytorch.cap_seconds);
  check_finite("latency of the affine fit of the all-reduce table", p.affine.alpha);
}

// Adds a warning if buckets have a size outside the table of a(x). It looks at all cases, at the best cap and
// at the advice for PyTorch.
void warn_of_extrapolation(Prediction& prediction, PredictInput const& input) {
  auto const& points = prediction.network.points;
  const int ranks = prediction.network.ranks;
  Extrapolation beyond(points, input.workload.wire);
  for (auto const& predicted : prediction.cases) beyond.look(predicted.item.name(), predicted.item.plan);
  beyond.look("the best cap",
              plan_at(prediction.job, prediction.best_cap_mib(), first_bucket_of(input.config)));
  beyond.look("the buckets that --pytorch prints", prediction.pytorch.list);
  beyond.look("the cap that --pytorch prints",
              plan_at(prediction.job, prediction.pytorch.cap_mib, pytorch_first_bucket));
  if (const auto warning = beyond.warning(prediction.network.file); !warning.empty())
    prediction.warnings.push_back((ranks > 0 ? model::ranks_text(ranks) + ": " : "") + warning);
}

}  // namespace

double Prediction::best_cap_mib() const {
  return handy_cap_mib(best);
}

model::Plan plan_at(model::Job const& job, double cap_mib, model::FirstBucket first_bucket) {
  const std::int64_t cap = to_bytes(cap_mib), caps[] = {first_bucket.value_or(cap), cap};
  return model::bucketed_plan(job.gradient_bytes, caps);
}

void add_step(Prediction& prediction, PredictInput const& input) {
  Config const& config = input.config;
  if (!config.step.given) return;
  const auto refuse = [&](std::string_view why) {
    prediction.warnings.push_back(fmt::format("the whole step is not predicted: {}", why));
  };
  const auto strategy = strategy_of(config);
  const auto phases = roofline_phases(config, model::backward_pass(config.shape), strategy.clipped);
  if (!phases)
    return refuse(
        "[compute] times has only the backward pass; remove this key, and give [machine] peak_flops and "
        "bandwidth");
  if (prediction.network.ranks == 0)
    return refuse("the all-reduce table does not say its number of ranks; give --table-ranks N");
  std::vector<Case> cases;
  for (auto const& c : prediction.cases) cases.push_back(c.item);
  prediction.step = predict_step(config, strategy, *phases, prediction.job, cases, prediction.network.ranks,
                                 prediction.network.tables, prediction.network.ranks_per_node);
  for (auto const& warning : prediction.step->warnings) prediction.warnings.push_back(warning);
}

Prediction make_prediction(PredictInput const& input, Network const& network) {
  Prediction result{network, input.job(network.cost), {}, 0, 0, {}, {}, {}, {}, {}, 0, {}, input.warnings};
  result.warnings.insert(result.warnings.end(), network.warnings.begin(), network.warnings.end());
  model::Job const& job = result.job;
  result.t_comm = model::communication_seconds(model::flat_plan(job.gradient_bytes), job.cost);
  result.floor = model::floor_seconds(job);
  result.affine = model::fit_alpha_beta(network.points);
  result.affine_error = model::error_of(result.affine, network.points);
  const auto first = first_bucket_of(input.config);
  const auto sweep = model::sweep_caps(job, first);
  result.best = model::best_caps(sweep, same);
  result.plateau = model::best_caps(sweep, negligible_gain);
  result.plan = model::optimal_plan(job, first);
  result.plan_seconds = model::simulate(job, result.plan).total;
  result.pytorch = advise(job, result.plan, result.plan_seconds);
  result.cases = predict_cases(input, result);
  if (!input.config.model.empty()) result.rank_tokens = input.config.tokens.count();
  check_finite(result);
  warn_of_extrapolation(result, input);
  return result;
}

}  // namespace ddproxy
