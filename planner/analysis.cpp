// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

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

std::optional<Estimate> find_overlap(CaseResult const& result) {
  const double smaller = std::min(result.compute, result.communication);
  if (!(smaller > result.total.noise()) || std::isnan(result.communication)) return std::nullopt;
  const double sum = result.compute + result.communication;
  return Estimate{(sum - result.total.value) / smaller, (sum - result.total.high) / smaller,
                  (sum - result.total.low) / smaller};
}

bool is_bucketed(CaseReport const& report) {
  return report.item.strategy == Strategy::bucketed && report.measured;
}

CaseReport const* least(std::vector<CaseReport> const& reports,
                        std::function<double(CaseReport const&)> const& of) {
  CaseReport const* best = nullptr;
  for (auto const& report : reports)
    if (is_bucketed(report) && (!best || of(report) < of(*best))) best = &report;
  return best;
}

double mean_error(std::vector<CaseReport> const& reports) {
  double sum = 0;
  int count = 0;
  for (auto const& report : reports) {
    if (!is_bucketed(report)) continue;
    const double exposed = report.measured->exposed.value;
    const double scale = std::max({exposed, report.measured->total.noise(), 1e-9});
    sum += std::abs(report.predicted_exposed() - exposed) / scale;
    ++count;
  }
  return count ? sum / count : not_available;
}

}  // namespace

CaseResult analyse(std::vector<Sample> const& samples, double communication) {
  if (samples.empty()) throw std::invalid_argument("a case has no sample");
  CaseResult result;
  result.total = median_estimate(collect(samples, [](auto& s) { return maximum(s.total); }));
  result.exposed =
      median_estimate(collect(samples, [](auto& s) { return maximum(s.total) - maximum(s.compute); }));
  result.compute = median(collect(samples, [](auto& s) { return maximum(s.compute); }));
  result.slowdown =
      median(collect(samples, [](auto& s) { return maximum(s.backward_end) - maximum(s.compute); }));
  result.tail = median(collect(samples, [](auto& s) { return maximum(s.total) - maximum(s.backward_end); }));
  result.skew = median(collect(samples, [](auto& s) { return spread(s.backward_end); }));
  result.slowest_rank = slowest(samples);
  result.communication = communication;
  result.overlap = find_overlap(result);
  return result;
}

CaseReport const* best_bucketed(std::vector<CaseReport> const& reports) {
  return least(reports, [](auto& report) { return report.measured->total.value; });
}

CaseReport const* predicted_best(std::vector<CaseReport> const& reports) {
  return least(reports, [](auto& report) { return report.predicted.total; });
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
  figures.model_error = mean_error(reports);
  figures.regret = predicted_best(reports)->measured->total.value / result.total.value - 1;
  return figures;
}

}  // namespace ddproxy
