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

constexpr std::array<std::string_view, 12> keys{"model",   "step",   "precision", "sweep",
                                                "ranks",   "device", "mode",      "wire",
                                                "threads", "pieces", "buffers",   "priority"};

bool is_in(std::span<const std::string> allowed, std::string_view key) {
  return std::ranges::find(allowed, key) != allowed.end();
}

bool differ(std::string const& a, std::string const& b) {
  return !a.empty() && !b.empty() && a != b;
}

std::string differences(Run const& first, Run const& other, std::span<const std::string> allowed) {
  std::string all;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    auto const& [key, value] = other.identity[k];
    if (!differ(first.identity[k].second, value) || is_in(allowed, key)) continue;
    all += "; " + key + ": " + against(key, first.identity[k].second, value) + " (--allow " + key + ")";
  }
  return all;
}

// The parts of a sweep: its cases. Of anything else: itself.
std::vector<std::string> parts_of(std::string const& key, std::string const& text) {
  if (key != "sweep") return {text};
  std::vector<std::string> parts;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 2) {
    end = text.find(", ", at);
    parts.push_back(text.substr(at, end - at));
  }
  return parts;
}

// Three say what is the matter.
std::string only_in(std::vector<std::string> own, std::vector<std::string> const& other) {
  std::erase_if(own, [&](auto const& part) { return std::ranges::find(other, part) != other.end(); });
  if (own.empty()) return "none of these";
  std::string text = "'" + own[0];
  for (std::size_t k = 1; k < std::min<std::size_t>(own.size(), 3); ++k) text += ", " + own[k];
  return text + "'" + (own.size() > 3 ? " and " + std::to_string(own.size() - 3) + " more" : "");
}

// One line for a key that only some of the files have.
void add_unsaid(std::vector<std::string>& doubts, std::span<const Run> runs, std::size_t k) {
  const auto says = [k](Run const& run) { return !run.identity[k].second.empty(); };
  const auto silent = std::ranges::count_if(runs, [&](Run const& run) { return !says(run); });
  if (silent == 0 || silent == std::ssize(runs)) return;
  const auto first = std::ranges::find_if_not(runs, says);
  doubts.push_back(first->path.string() + (silent > 1 ? " and " + std::to_string(silent - 1) + " more" : "") +
                   ": not compared in " + std::string(keys[k]) + ", which the file does not say");
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
  for (std::size_t r = 1; r < runs.size(); ++r)
    for (auto const& before : runs.first(r))
      if (const std::string differing = differences(before, runs[r], allowed); !differing.empty())
        throw std::invalid_argument(before.path.string() + " and " + runs[r].path.string() +
                                    " are not comparable" + differing);
}

std::string against(std::string const& key, std::string const& a, std::string const& b) {
  const auto first = parts_of(key, a), other = parts_of(key, b);
  return only_in(first, other) + " against " + only_in(other, first);
}

std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed) {
  std::vector<std::string> doubts;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!is_in(allowed, keys[k])) add_unsaid(doubts, runs, k);
  for (std::size_t h = 0; h < runs[0].habits.size(); ++h) {
    auto const& [key, value] = runs[0].habits[h];
    const auto other =
        std::ranges::find_if(runs, [&](Run const& run) { return differ(value, run.habits[h].second); });
    if (other != runs.end())
      doubts.push_back(runs[0].path.string() + " and " + other->path.string() + " differ in " + key +
                       ", so their noise may: " + against(key, value, other->habits[h].second));
  }
  return doubts;
}

}  // namespace ddproxy::results
