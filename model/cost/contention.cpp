// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/contention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/statistics/quantile.hpp"

namespace ddproxy::model {
namespace {

void check_speed(char const* name, double speed) {
  if (speed > 0 && speed <= 1) return;
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(speed) +
                              "; it must be above 0 and at most 1");
}

void check(std::vector<SpeedPoint> const& table) {
  if (table.empty()) throw std::invalid_argument("contention: the table has no row; give one or more");
  std::int64_t before = 0;
  for (auto const& [bytes, speeds] : table) {
    if (bytes <= before) {
      throw std::invalid_argument("contention: bytes must be positive and rise, but " +
                                  std::to_string(bytes) + " follows " + std::to_string(before));
    }
    check_speed("kappa", speeds.kappa);
    check_speed("gamma", speeds.gamma);
    before = bytes;
  }
}

}  // namespace

Contention::Contention(double kappa, double gamma)
    : Contention(std::vector<SpeedPoint>{{1, {kappa, gamma}}}) {}

Contention::Contention(std::vector<SpeedPoint> table) {
  check(table);
  for (auto const& [bytes, speeds] : table) rows_.push_back({std::log(static_cast<double>(bytes)), speeds});
}

Speeds Contention::fastest() const {
  if (rows_.empty()) return {};
  Speeds best{0, 0};
  for (auto const& [log_bytes, speeds] : rows_)
    best = {std::max(best.kappa, speeds.kappa), std::max(best.gamma, speeds.gamma)};
  return best;
}

Speeds median_speeds(std::vector<Speeds> const& samples) {
  if (samples.empty()) throw std::invalid_argument("contention: a size has no sample");
  const auto middle = [&](double Speeds::*speed) {
    std::vector<double> values;
    for (Speeds const& sample : samples) values.push_back(sample.*speed);
    return median(std::move(values));
  };
  return {middle(&Speeds::kappa), middle(&Speeds::gamma)};
}

Contention contention_of(std::vector<SpeedSamples> const& sizes) {
  if (sizes.empty()) return {};
  std::vector<SpeedPoint> table;
  for (SpeedSamples const& size : sizes) table.push_back({size.bytes, median_speeds(size.samples)});
  return Contention(std::move(table));
}

Speeds Contention::operator()(std::int64_t bytes) const {
  if (rows_.empty()) return {};
  if (rows_.size() == 1 || bytes < 1) return rows_.front().speeds;
  const double x = std::log(static_cast<double>(bytes));
  const auto above =
      std::find_if(rows_.begin(), rows_.end(), [x](Row const& row) { return row.log_bytes >= x; });
  if (above == rows_.begin()) return above->speeds;
  if (above == rows_.end()) return rows_.back().speeds;
  Row const& below = *std::prev(above);
  const double share = (x - below.log_bytes) / (above->log_bytes - below.log_bytes);
  return {std::lerp(below.speeds.kappa, above->speeds.kappa, share),
          std::lerp(below.speeds.gamma, above->speeds.gamma, share)};
}

}  // namespace ddproxy::model
