// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "results/output_files.hpp"
#include "results/run_file.hpp"

namespace ddproxy::results {
namespace {

constexpr std::array<std::string_view, 8> keys{"model", "step",   "precision", "sweep",
                                               "ranks", "device", "mode",      "wire"};

std::string differences(Run const& first, Run const& other, std::span<const std::string> allowed) {
  std::string all;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    auto const& [key, value] = other.identity[k];
    if (value == first.identity[k].second || std::ranges::find(allowed, key) != allowed.end()) continue;
    all += "; " + key + ": '" + first.identity[k].second + "' against '" + value + "' (--allow " + key + ")";
  }
  return all;
}

bool same_times(CaseTimes const& a, CaseTimes const& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.name == b.name && std::ranges::equal(a.samples, b.samples, same);
}

}  // namespace

bool is_same_run(Run const& a, Run const& b) {
  return (a.created == b.created && a.identity == b.identity &&
          std::ranges::equal(a.cases, b.cases, same_times)) ||
         is_same_file(a.path, b.path);
}

void check_distinct(std::span<const Run> runs) {
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const auto before = runs.first(k);
    const auto twin = std::ranges::find_if(before, [&](Run const& run) { return is_same_run(run, runs[k]); });
    if (twin != before.end())
      throw std::invalid_argument(twin->path.string() + " and " + runs[k].path.string() +
                                  " hold the same run; a copy is no further run: give it once");
  }
}

void check_keys(std::span<const std::string> allowed) {
  for (auto const& key : allowed) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string all;
    for (auto known : keys) all.append(all.empty() ? "" : ", ").append(known);
    throw std::invalid_argument("--allow " + key + ": no such key; there are " + all);
  }
}

void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed) {
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const std::string differing = differences(runs[0], runs[r], allowed);
    if (!differing.empty())
      throw std::invalid_argument(runs[0].path.string() + " and " + runs[r].path.string() +
                                  " are not comparable" + differing);
  }
}

}  // namespace ddproxy::results
