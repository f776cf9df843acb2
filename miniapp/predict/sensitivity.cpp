// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/sensitivity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>

#include "miniapp/input/units.hpp"
#include "miniapp/predict/prediction.hpp"
#include "miniapp/predict/prediction_text.hpp"

namespace ddproxy {
namespace {

constexpr double factors[] = {1.0 / 16, 1.0 / 4, 1.0 / 2, 1, 2, 4, 16};
using Out = std::back_insert_iterator<std::string>;

SensitivityRow row_of(std::string quantity, double value, model::Job const& job, model::FirstBucket first) {
  const auto sweep = model::sweep_caps(job, first);
  const auto plan = model::optimal_plan(job, first);
  const auto exposed = [&](model::Plan const& p) { return model::simulate(job, p).total - job.t_compute; };
  const double t_comm = model::communication_seconds(model::flat_plan(job.gradient_bytes), job.cost);
  const double exposed_plan = exposed(plan), exposed_25 = exposed(plan_at(job, common_cap_mib, first));
  if (!std::isfinite(t_comm + exposed_plan + exposed_25))
    throw std::invalid_argument(fmt::format(
        "--sensitivity: with {} = {:g} the seconds are too large to add up; check the units of the tables",
        quantity, value));
  return {std::move(quantity),
          value,
          job.t_compute,
          t_comm / job.t_compute,
          model::best_caps(sweep, negligible_gain),
          model::best_caps(sweep).seconds - job.t_compute,
          exposed_25,
          model::floor_seconds(job),
          exposed_plan,
          plan.size()};
}

model::Job with_bytes(model::Job job, double factor) {
  for (auto& bytes : job.gradient_bytes)
    bytes = std::max<std::int64_t>(std::llround(factor * static_cast<double>(bytes)), 1);
  return job;
}

// Adds a row for each preset of GPT-2. Only a roofline can give the seconds of another model.
void add_models(std::vector<SensitivityRow>& rows, PredictInput const& input, Network const& network) {
  auto const& machine = input.config.machine;
  if (!input.config.times.empty() || machine.peak_flops <= 0) return;
  for (auto const& preset : model::presets) {
    if (preset.shape.context < input.config.tokens.sequence) continue;
    PredictInput other = input;
    other.config.shape = preset.shape;
    other.workload = make_workload(other.config);
    rows.push_back(row_of("model", static_cast<double>(other.workload.bytes()) / model::bytes_per_mib,
                          other.job(network.cost), first_bucket_of(input.config)));
  }
}

std::string value_text(SensitivityRow const& r) {
  if (r.quantity == "ranks") return fmt::format("{:g}", r.value);
  return r.quantity == "model" ? fmt::format("{:.0f} MiB", r.value) : fmt::format("x {:g}", r.value);
}

std::string high_text(model::CapRange const& range) {
  return range.high == model::any_cap
             ? ""
             : fmt::format("{}", static_cast<double>(range.high) / model::bytes_per_mib);
}

}  // namespace

std::vector<SensitivityRow> sensitivity(PredictInput const& input, std::vector<Network> const& networks) {
  Network const& base = networks.front();
  std::vector<SensitivityRow> rows;
  const auto first = first_bucket_of(input.config);
  for (const double factor : factors)
    rows.push_back(row_of("bytes", factor, with_bytes(input.job(base.cost), factor), first));
  add_models(rows, input, base);
  const auto add_changed = [&](char const* quantity, double factor, Network const& network) {
    rows.push_back(row_of(quantity, factor, input.job(network.cost), first));
    rows.back().raised = network.raised && !base.raised;
  };
  for (const double factor : factors) add_changed("latency", factor, what_if(base, factor, 1));
  for (const double factor : factors) add_changed("bandwidth", factor, what_if(base, 1, factor));
  for (auto const& network : networks)
    if (network.ranks > 0) rows.push_back(row_of("ranks", network.ranks, input.job(network.cost), first));
  return rows;
}

std::string raised_rows(std::vector<SensitivityRow> const& rows) {
  std::string names;
  for (auto const& r : rows)
    if (r.raised) fmt::format_to(Out(names), "{}{} x {:g}", names.empty() ? "" : ", ", r.quantity, r.value);
  if (names.empty()) return "";
  return "in some rows of --sensitivity the changed all-reduce times fall somewhere as bytes grow, but the "
         "model needs times that never fall. It uses their running maximum instead, so E may be too large in "
         "these rows: " +
         names;
}

std::string sensitivity_table(std::vector<SensitivityRow> const& rows) {
  std::string text = fmt::format("{:<10} {:>9} {:>10} {:>13} {:>21} {:>12} {:>12} {:>10} {:>12} {:>6}\n",
                                 "changed", "value", "T_comp ms", "T_comm/T_comp", "best caps MiB",
                                 "E best ms", "E 25 MiB ms", "bound ms", "E plan ms", "calls");
  for (auto const& r : rows)
    fmt::format_to(
        Out(text), "{:<10} {:>9} {:>10.2f} {:>13.2f} {:>21} {:>12.3f} {:>12.3f} {:>10.3f} {:>12.3f} {:>6}\n",
        r.quantity, value_text(r), r.t_compute * milli, r.rho,
        fmt::format("{} to {}", r.plateau.low == 1 ? "0" : cap_text(r.plateau.low),
                    r.plateau.high == model::any_cap ? "any" : cap_text(r.plateau.high)),
        r.exposed_best * milli, r.exposed_25 * milli, r.floor * milli, r.exposed_plan * milli, r.calls);
  return text +
         "value: a factor of bytes, latency or bandwidth (x), the size of the gradients of a model (MiB), or "
         "a number of ranks. T_comp: T_compute. best caps: caps whose T is at most 0.1 % above the smallest "
         "T. E best, E 25 MiB, E plan: E with the best cap, with a cap of 25 MiB, with the best plan. bound: "
         "lower bound on E. calls: number of all-reduces of the best plan\n";
}

std::string sensitivity_csv(std::vector<SensitivityRow> const& rows) {
  std::string text =
      "quantity,value,t_compute_s,rho,low_mib,high_mib,exposed_best_s,exposed_25_s,floor_s,exposed_plan_s,"
      "calls\n";
  for (auto const& r : rows)
    fmt::format_to(Out(text), "{},{},{},{},{},{},{},{},{},{},{}\n", r.quantity, r.value, r.t_compute, r.rho,
                   static_cast<double>(r.plateau.low) / model::bytes_per_mib, high_text(r.plateau),
                   r.exposed_best, r.exposed_25, r.floor, r.exposed_plan, r.calls);
  return text;
}

}  // namespace ddproxy
