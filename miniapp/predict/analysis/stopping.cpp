// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/stopping.hpp"

#include <algorithm>

#include "model/statistics/median_interval.hpp"

namespace ddproxy {

bool is_precise(CaseResult const& result, double target) {
  constexpr double least_share_of_total = 0.005;
  if (result.samples < model::fewest_for_an_interval) return false;
  const double scale = std::max(result.exposed.value, least_share_of_total * result.total.value);
  return result.exposed.noise() <= target * scale;
}

bool RoundBudget::takes_another(int rounds, double seconds, bool precise) const {
  if (rounds < fewest_) return true;
  if (max_seconds_ <= 0 || precise) return false;
  return seconds * (1.0 + 1.0 / std::max(rounds, 1)) <= max_seconds_;
}

Stop RoundBudget::reason(bool precise) const {
  if (max_seconds_ <= 0) return Stop::samples;
  return precise ? Stop::target : Stop::budget;
}

}  // namespace ddproxy
