// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "miniapp/predict/analysis/score_text.hpp"
#include "model/statistics/estimate.hpp"
#include "model/statistics/median_interval.hpp"
#include "model/statistics/paired_ratio.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

double maximum(std::vector<double> const& values) {
  return std::ranges::max(values);
}
double spread(std::vector<double> const& values) {
  return maximum(values) - std::ranges::min(values);
}

std::vector<double> collect(std::vector<Sample> const& samples,
                            std::function<double(Sample const&)> const& of) {
  std::vector<double> values;
  std::ranges::transform(samples, std::back_inserter(values), of);
  return values;
}

int slowest(std::vector<Sample> const& samples) {
  std::vector<int> times_last(samples.front().total.size());
  for (auto const& sample : samples) {
    const auto last = std::ranges::max_element(sample.backward_end) - sample.backward_end.begin();
    ++times_last[static_cast<std::size_t>(last)];
  }
  return static_cast<int>(std::ranges::max_element(times_last) - times_last.begin());
}

double overlap_of(Sample const& sample) {
  const double compute = maximum(sample.compute), communication = sample.communication_alone();
  return (compute + communication - maximum(sample.total)) / std::min(compute, communication);
}

// If each sample has a measured T_comm, the result is the median of the overlaps of the samples. Otherwise it
// is computed from the medians of T and T_compute and from T_comm of the table, which was measured before the
// sweep.
std::optional<model::Estimate> find_overlap(CaseResult const& result, std::vector<Sample> const& samples) {
  if (!std::isnan(result.communication_alone)) {
    if (!(std::min(result.compute, result.communication_alone) > result.total.noise())) return std::nullopt;
    return model::median_estimate(collect(samples, overlap_of));
  }
  const double smaller = std::min(result.compute, result.communication);
  if (!(smaller > result.total.noise()) || std::isnan(result.communication)) return std::nullopt;
  const double sum = result.compute + result.communication;
  return model::Estimate{(sum - result.total.value) / smaller, (sum - result.total.high) / smaller,
                         (sum - result.total.low) / smaller};
}

bool is_bucketed(CaseReport const& report) {
  return report.item.is_bucketed() && report.measured;
}

model::ScoredCase scored(CaseReport const& report) {
  CaseResult const& m = *report.measured;
  model::Timeline const& p = report.predicted;
  return {report.item.cap_mib,
          m.total.value,
          m.exposed.noise(),
          {m.tail, m.exposed.value - m.tail},
          {p.tail(), p.slowdown(report.predicted_compute)},
          report.uncontended,
          report.item.name()};
}

std::string beyond(std::string_view name, double value, std::string const& reason,
                   std::optional<double> limit) {
  if (!limit || value <= *limit) return "";
  if (std::isnan(value))
    return fmt::format("{} is not known (nan), so it cannot be compared with --max-{}{}", name, name,
                       reason.empty() ? "" : ": " + reason);
  return fmt::format("{} is {:.4g}, above --max-{} {:g}", name, value, name, *limit);
}

}  // namespace

double Sample::communication_alone() const {
  return buckets_alone.empty() ? not_available
                               : std::accumulate(buckets_alone.begin(), buckets_alone.end(), 0.0);
}

CaseResult analyse(std::vector<Sample> const& samples, double communication) {
  if (samples.empty()) throw std::invalid_argument("a case has no sample");
  CaseResult result;
  result.samples = samples.size();
  result.total = model::median_estimate(collect(samples, [](auto& s) { return maximum(s.total); }));
  // Student's interval of two to five values can reach below zero, but no time is negative.
  if (result.total.low < 0) result.total.low = 0;
  result.exposed =
      model::median_estimate(collect(samples, [](auto& s) { return maximum(s.total) - maximum(s.compute); }));
  result.compute = model::median(collect(samples, [](auto& s) { return maximum(s.compute); }));
  result.slowdown =
      model::median(collect(samples, [](auto& s) { return maximum(s.backward_end) - maximum(s.compute); }));
  result.tail =
      model::median(collect(samples, [](auto& s) { return maximum(s.total) - maximum(s.backward_end); }));
  result.skew = model::median(collect(samples, [](auto& s) { return spread(s.backward_end); }));
  result.slowest_rank = slowest(samples);
  result.communication = communication;
  const auto alone = collect(samples, [](auto& s) { return s.communication_alone(); });
  if (std::ranges::none_of(alone, [](double v) { return std::isnan(v); }))
    result.communication_alone = model::median(alone);
  result.overlap = find_overlap(result, samples);
  return result;
}

CaseReport const* best_bucketed(std::vector<CaseReport> const& reports) {
  CaseReport const* best = nullptr;
  for (auto const& report : reports)
    if (is_bucketed(report) && (!best || report.measured->total.value < best->measured->total.value))
      best = &report;
  return best;
}

std::vector<model::ScoredCase> scored_cases(std::vector<CaseReport> const& reports) {
  std::vector<model::ScoredCase> cases;
  for (auto const& report : reports)
    if (is_bucketed(report)) cases.push_back(scored(report));
  return cases;
}

std::string beyond_limits(FigureOfMerit const& figures, std::optional<double> max_model_error,
                          std::optional<double> max_regret) {
  const std::string error = beyond("model-error", figures.model_error, figures.why_no_error, max_model_error);
  return error.empty() ? beyond("regret", figures.regret, figures.why_no_regret, max_regret) : error;
}

void take_score(FigureOfMerit& figures, std::span<const model::ScoredCase> cases,
                model::ScoreCard const& card) {
  figures.model_error = card.model.mean_error;
  figures.model_error_beyond_noise = card.model.beyond_noise;
  figures.regret = card.model.regret;
  figures.why_no_error = why_no_error(cases, card);
  figures.why_no_regret = why_no_regret(cases);
}

model::Estimate ratio_by_round(CaseReport const& report, CaseReport const& other) {
  return model::paired_ratio(report.measured->totals, other.measured->totals);
}

FigureOfMerit judge(std::vector<CaseReport> const& reports, int ranks, std::int64_t tokens) {
  FigureOfMerit figures;
  CaseReport const* best = best_bucketed(reports);
  if (!best) return figures;
  CaseResult const& result = *best->measured;
  figures.tokens_per_s = ranks * static_cast<double>(tokens) / result.total.value;
  figures.backward_s = result.total.value;
  figures.bucket_mib = best->item.cap_mib;
  figures.exposed_s = result.exposed.value;
  figures.tail_s = result.tail;
  if (result.overlap) figures.overlap = result.overlap->value;
  const auto cases = scored_cases(reports);
  take_score(figures, cases, model::score(cases));
  return figures;
}

}  // namespace ddproxy
