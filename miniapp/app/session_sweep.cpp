// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/measure/sweep/sweep.hpp"
#include "miniapp/predict/analysis/contradiction.hpp"
#include "miniapp/predict/analysis/noise_text.hpp"
#include "miniapp/predict/analysis/round_prediction.hpp"
#include "miniapp/predict/analysis/score_text.hpp"
#include "model/predict/graph/predict_strategy.hpp"
#include "model/statistics/median_interval.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

RoundBudget budget_of(Config const& config) {
  return {rounds_to_take(config), seconds_to_take(config)};
}

// Returns whether E of a case is known precisely enough. `counted`: the samples of the case that count.
bool is_known(std::vector<Sample> const& counted, double target) {
  return !counted.empty() && is_precise(analyse(counted, not_available), target);
}

}  // namespace

void Session::prepare_sweep() {
  stops_.assign(reports_.size(), Stop::samples);
  parts_ = part_names(context_);
  part_values_.assign(parts_.size(), 0);
  if (!root()) return;
  if (context_.runtime.ranks() == 1 && !context_.config.gate.allreduce_kib.empty())
    results::say_error(
        "warning: [gate] allreduce_kib is ignored, because an all-reduce needs at least two ranks; start two "
        "ranks");
  recorder_->gate(options_.turns, parts_, part_samples(context_, reports_.size()));
}

void Session::keep_sample(std::size_t item, int round, int position, Sample const& sample) {
  say(fmt::format("sample {}, round {}: {}", position + 1, round + 1, reports_[item].item.name()));
  recorder_->sample(item, round, position, sample);
}

void Session::sweep() {
  prepare_sweep();
  const auto start = Clock::now();
  SweepObserver observer;
  observer.sample = [&](std::size_t item, int round, int position, Sample const& sample) {
    keep_sample(item, round, position, sample);
  };
  observer.part = [&](std::string const& part, double seconds) { record_part(part, seconds); };
  observer.another = [&](int rounds) { return takes_another_round(rounds, seconds_since(start)); };
  observer.round = [&] {
    keep_seconds(seconds_since(start));
    recorder_->flush_if_due();
  };
  const auto timelines = run_sweep(context_, reports_, options_.turns, observer);
  if (root()) {
    keep_seconds(seconds_since(start));
    recorder_->flush();
  }
  context_.runtime.together([&] {
    if (root() && std::ranges::all_of(recorder_->samples(), &std::vector<Sample>::empty))
      throw std::invalid_argument(
          "no sample was taken: --benchmark_filter leaves out every case; --dry-run lists the cases");
  });
  measure_missing_tables();
  calibration_ = {};  // no samples are added any more
  if (!root()) return;
  conclude_sweep();
  recorder_->timeline(context_.workload, timelines);
  record_step_memory();
}

// Records the time of all complete rounds, which counts towards max_seconds. `seconds` is the time of the
// rounds of this run.
void Session::keep_seconds(double seconds) {
  auto const& config = context_.config;
  if (config.max_seconds > 0) recorder_->rounds_seconds(config.seconds_before + seconds);
}

void Session::record_step_memory() {
  std::vector<std::int64_t> peaks;
  for (auto const& report : reports_)
    peaks.push_back(predicted_ ? model::predict_live_memory(report.item.strategy, job_, report.item.plan).peak
                               : -1);
  recorder_->step_memory(context_.memory.size() * sizeof(float), peaks);
}

bool Session::takes_another_round(int rounds, double seconds) {
  const auto taken = recorder_->samples();
  const auto counted = samples_that_count_now(taken);
  bool all_known = true;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (taken[i].empty()) continue;  // --benchmark_filter leaves the case out
    all_known = all_known && is_known(counted[i], context_.config.target);
  }
  if (!budget_of(context_.config).takes_another(rounds, seconds, all_known)) return false;
  recorder_->grow_samples(static_cast<std::size_t>(rounds) + 1);
  return true;
}

void Session::record_part(std::string const& part, double seconds) {
  const auto index = static_cast<std::size_t>(std::ranges::find(parts_, part) - parts_.begin());
  recorder_->part(index, part_values_[index]++, seconds);
}

void Session::conclude_sweep() {
  settle_sweep();
  const auto taken = recorder_->samples();
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    auto const& plan = reports_[i].item.plan;
    const auto samples = samples_of_state(taken[i]);
    if (!taken[i].empty())
      stops_[i] = budget_of(context_.config).reason(is_known(samples, context_.config.target));
    if (samples.empty()) continue;
    reports_[i].measured =
        analyse(samples, cost_ ? model::communication_seconds(plan, cost()) : not_available);
    reports_[i].measured->totals = totals_that_count(states_, state_, taken[i]);
    if (predicted_) reports_[i].same_round = predict_rounds(reports_[i].item, job_, samples);
  }
  recorder_->results(reports_);
  recorder_->stops(stops_, context_.config);
  judge_sweep();
  compare_phases();
  report_ += sweep_table(context_.config, reports_, stops_, predicted_);
  report_ += resumed_text(options_, earlier_, recorder_->reader().extents("/sweep/order")[1]);
  report_ += tuning_line(reports_, floor_);
  if (const auto cases = scored_cases(reports_); predicted_ && !cases.empty())
    report_ += score_lines(cases, model::score(cases));
  if (CaseReport const* best = best_bucketed(reports_); best && predicted_)
    report_ += waterfall_line(*best, uncertainty_[static_cast<std::size_t>(best - reports_.data())].terms) +
               miss_line(*best);
  find_contradictions();
  warn_of_noise();
}

void Session::warn_of_noise() const {
  std::vector<NamedTime> totals;
  for (auto const& report : reports_)
    if (report.measured) totals.push_back({"T of " + report.item.name(), report.measured->total});
  if (const auto noise = noise_warning(totals, spinning_); !noise.empty())
    results::say_error("warning: " + noise);
}

void Session::find_contradictions() {
  std::vector<Contradiction> found;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    std::ranges::move(ddproxy::find_contradictions(reports_[i]), std::back_inserter(found));
    if (predicted_ && reports_[i].item.overlapped())
      std::ranges::move(ddproxy::find_contradictions(reports_[i], uncertainty_[i].terms),
                        std::back_inserter(found));
  }
  if (context_.reduces() && std::ranges::any_of(found, &Contradiction::is_large))
    figures_.valid = results::Validity::no;
  auto sentences = contradiction_warnings(found, context_.reduces());
  if (auto cost = costs_of_overlapping(reports_); context_.reduces() && !cost.empty())
    sentences.push_back(std::move(cost));
  for (auto const& sentence : sentences) results::say_error(fmt::format("warning: {}", sentence));
  recorder_->contradictions(sentences);
}

void Session::compare_phases() {
  if (phases_.empty()) return;
  auto samples = recorder_->samples();
  for (auto& of_case : samples) of_case = samples_of_state(of_case);
  phases_.push_back({"sweep", model::median_estimate(sweep_compute(context_.config, samples))});
  const Phase calibration{"calibration", model::median_estimate(pass_seconds(operations_of_state()))};
  const auto doubt = phase_doubt(calibration, phases_.back());
  recorder_->phases(phases_, doubt);
  if (!doubt.empty()) results::say_error(fmt::format("warning: {}", doubt));
}

void Session::judge_sweep() {
  const double bus_bandwidth_GBps = figures_.bus_bw_GBps;
  figures_ = judge(reports_, context_.ranks(), context_.config.tokens.count());
  figures_.bus_bw_GBps = bus_bandwidth_GBps;
  figures_.valid = results::validity_of(context_.config.compute == ComputeMode::replay, !context_.reduces(),
                                        context_.ranks());
  if (context_.reduces() && sweep_states().unsteady()) figures_.valid = results::Validity::unsteady;
  if (!predicted_) {
    figures_.model_error = figures_.model_error_beyond_noise = figures_.regret = not_available;
    figures_.why_no_error = figures_.why_no_regret = why_not_predicted_;
    return;
  }
  if (const auto cases = scored_cases(reports_); !cases.empty())
    recorder_->score(model::score(cases), best_cap_);
}

}  // namespace ddproxy
