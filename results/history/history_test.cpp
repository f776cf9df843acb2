// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/history_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "results/compare/compare_parts.hpp"
#include "results/history/night_noise.hpp"

namespace ddproxy::results {
namespace {

// docs/results.md states the rate of false alarms for correlations of successive nights up to 0.3. The limit
// for a warning is higher, because an estimate of the correlation from 30 nights has an error of about 0.1 if
// each case has noise of its own. largest_distance is the largest distance of two modes, relative.
constexpr double largest_correlation = 0.45, largest_distance = 0.02;

// Returns the index of the last night that is not later than `until`. Returns the number of nights if there
// is no such night.
std::size_t last_until(History const& history, std::string const& until) {
  std::size_t last = history.nights.size();
  for (std::size_t n = 0; n < history.nights.size(); ++n)
    if (history.nights[n].created <= until) last = n;
  return last;
}

}  // namespace

HistoryTest::HistoryTest(History history, std::vector<Acknowledgement> const& acknowledged,
                         std::optional<std::filesystem::path> const& pin, double tolerance)
    : history_(std::move(history)),
      names_(case_names(history_)),
      test_(names_.size(), tolerance),
      is_pinned_(pin.has_value()) {
  const std::size_t pinned = pin ? index_of(history_, *pin) : history_.nights.size();
  for (std::size_t n = 0; n < history_.nights.size(); ++n) {
    add(n);
    for (auto const& one : acknowledged)
      for (std::size_t s = 0; s < names_.size(); ++s)
        if (names_[s] == one.name && last_until(history_, one.until) == n) trackers()[s].accept();
    if (n == pinned)
      for (auto& tracker : trackers()) tracker.pin();
  }
}

void HistoryTest::add(std::size_t night) {
  Night const& all = history_.nights[night];
  std::vector<NightValue> values;
  for (auto const& name : names_) {
    NightCase const* found = all.find(name);
    const bool knows_error = found && !std::isnan(found->deviation) && all.rounds > 0;
    values.push_back({night, found ? found->log_ratio : std::nan(""),
                      knows_error ? found->deviation / std::sqrt(static_cast<double>(all.rounds)) : 0.0});
  }
  test_.add(values);
}

std::size_t HistoryTest::nights(std::size_t s) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(history_.nights, [&](Night const& night) { return night.find(names_[s]); }));
}

std::vector<std::string> doubts_of(HistoryTest const& test) {
  std::vector<std::string> doubts;
  if (const double r = test.shape(0).correlation; r > largest_correlation) {
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", std::min(r, 1.0));
    doubts.push_back("successive nights are correlated by " + std::string(text) +
                     ", so false alarms may be more frequent than docs/results.md states (it assumes a "
                     "correlation of at most 0.3); look for something that changes slowly on the machine");
  }
  for (std::size_t s = 0; s < test.names().size(); ++s) {
    const double distance = std::expm1(mode_distance(test.trackers()[s].levels().window_values()));
    if (distance > largest_distance)
      doubts.push_back(test.names()[s] + ": the times of the nights form two groups that are " +
                       percent(distance) +
                       " apart, so false alarms may be more frequent than docs/results.md states (it assumes "
                       "at most 2 %); find out what switches the machine between two speeds");
  }
  return doubts;
}

}  // namespace ddproxy::results
