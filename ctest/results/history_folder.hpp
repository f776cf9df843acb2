// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "ctest/results/compare_runs.hpp"
#include "results/compare/night.hpp"

namespace ddproxy::test {

/// A fixture that writes a history of nights with ratios, or of plain runs.
class HistoryFolder : public Compare {
 protected:
  /// Returns the time of the night `day`: "2026-03-01T00:00:00Z" for day 0. Only the first 28 days of each
  /// month are used, so day 28 is the first day of April.
  static std::string date(int day) {
    char text[32];
    std::snprintf(text, sizeof text, "2026-%02d-%02dT00:00:00Z", 3 + day / 28, day % 28 + 1);
    return text;
  }

  static std::string name(int day) {
    char text[16];
    std::snprintf(text, sizeof text, "n%03d", day);
    return text;
  }

  /// Returns the path of a night with ratios.
  std::filesystem::path night_file(int day) const { return folder / (name(day) + ".night.json"); }

  /// Returns a night with the ratios of the cases a, b, c and d, and of their mean. The noise of each case is
  /// 0.5 %. Case a is slower by the share `slowdown`.
  static results::Night night(int day, double slowdown) {
    std::mt19937_64 engine(static_cast<unsigned>(day) + 100);
    std::normal_distribution<double> noise(0.0, 0.005);
    results::Night all{.created = date(day),
                       .machine = "replay, 8 ranks, node",
                       .revision = "r" + std::to_string(day),
                       .reference_revision = "reference",
                       .identity = {{"model", "tiny"}, {"sweep", "a, b"}},
                       .rounds = 10,
                       .cases = {}};
    double sum = 0.0;
    for (char const* one : {"a", "b", "c", "d"}) {
      const double log = noise(engine) + (*one == 'a' ? std::log1p(slowdown) : 0.0);
      all.cases.push_back({one, log, 0.005});
      sum += log / 4.0;
    }
    all.cases.push_back({results::the_whole, sum, 0.005});
    return all;
  }

  /// Writes the nights `from` to `to` - 1. In night `day`, case a is slower by the share `slowdown(day)`.
  void write_nights(int from, int to, std::function<double(int)> const& slowdown) {
    for (int day = from; day < to; ++day) write_night(night_file(day), night(day, slowdown(day)));
  }
  void write_nights(int from, int to, double slowdown) {
    write_nights(from, to, [=](int) { return slowdown; });
  }

  /// Writes the plain runs `from` to `to` - 1. All their cases take `factor` times as long as in the sample
  /// file (sample_file.hpp).
  void write_runs(int from, int to, double factor, std::string const& host = "node1") {
    for (int day = from; day < to; ++day)
      make_sample(
          folder / (name(day) + ".h5"),
          {.factor = factor, .seed = static_cast<unsigned>(day) + 1, .host = host, .created = date(day)});
  }

  nlohmann::json json_of(CompareOptions options) {
    options.json = folder / "out.json";
    compare(options);
    return nlohmann::json::parse(contents(folder / "out.json"));
  }
};

}  // namespace ddproxy::test
