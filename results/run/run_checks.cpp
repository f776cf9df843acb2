// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "model/text/echo.hpp"
#include "results/file/validity.hpp"
#include "results/output/output_files.hpp"
#include "results/run/against.hpp"
#include "results/run/joined.hpp"
#include "results/run/run_conditions.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {
namespace {

// The key `call` has two meanings. Here it is the setting of the input. As a condition (run_conditions.cpp)
// it is the MPI call that was made. If the setting is "auto", each run chooses its MPI call anew.
constexpr std::array<std::string_view, 18> keys{
    "model",  "step", "precision", "sweep",    "ranks",     "device",       "mode", "wire",       "threads",
    "pieces", "call", "buffers",   "priority", "optimizer", "accumulation", "sync", "checkpoint", "sharding"};
constexpr std::array<std::string_view, 2> sound_keys{"valid", "verified"};

bool is_in(std::span<const std::string> allowed, std::string_view key) {
  return std::ranges::find(allowed, key) != allowed.end();
}

bool is_in_list(std::string_view key, std::span<const std::string_view> list) {
  return std::ranges::find(list, key) != list.end();
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

// Adds one warning for a key that only some of the files contain.
template <class Says>
void add_unsaid(std::vector<std::string>& doubts, std::span<const Run> runs, std::string_view key,
                Says says) {
  const auto silent = std::ranges::count_if(runs, [&](Run const& run) { return !says(run); });
  if (silent == 0 || silent == std::ssize(runs)) return;
  const auto first = std::ranges::find_if_not(runs, says);
  doubts.push_back(first->path.string() + (silent > 1 ? " and " + std::to_string(silent - 1) + " more" : "") +
                   ": the value of " + std::string(key) + " is missing, so this value is not compared");
}

// Rejects a run if its figure of merit is not valid, or if its results were not verified. The times of such a
// run prove nothing.
void check_sound(Run const& run, std::span<const std::string> allowed) {
  auto const* rule = find_validity(run.valid);
  const bool is_compared = run.valid.empty() || (rule && rule->is_compared);
  if (!is_compared && !is_in(allowed, "valid"))
    throw std::invalid_argument(
        run.path.string() + ": valid=" + model::echo(run.valid) +
        ": the figures of this run are not reliable (docs/results.md), so its times prove nothing; "
        "repeat the run, or accept it with --allow valid");
  if (run.unverified.empty() || is_in(allowed, "verified")) return;
  const auto more = run.unverified.size() - 1;
  throw std::invalid_argument(run.path.string() + ": the gradients of the case " +
                              model::echo(run.unverified[0]) +
                              (more > 0 ? " and " + std::to_string(more) + " more" : "") +
                              " were not verified, so the time may belong to a wrong result; repeat the run, "
                              "or accept it with --allow verified");
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
                                  " hold the same run, which must not count twice; give only one of them");
  }
}

bool has_whole_identity(Run const& run) {
  return std::ranges::equal(run.identity, keys, {}, &Run::Values::value_type::first);
}

std::string known_keys() {
  std::vector<std::string_view> all(keys.begin(), keys.end());
  all.insert(all.end(), sound_keys.begin(), sound_keys.end());
  std::ranges::copy_if(condition_keys(), std::back_inserter(all),
                       [](std::string_view key) { return !is_in_list(key, keys); });
  return joined(all);
}

void check_keys(std::span<const std::string> allowed) {
  for (auto const& key : allowed)
    if (!is_in_list(key, keys) && !is_in_list(key, sound_keys) && !is_in_list(key, condition_keys()))
      throw std::invalid_argument("--allow " + model::echo(key) + ": there is no such key; the keys are " +
                                  known_keys());
}

void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed) {
  for (auto const& run : runs) check_sound(run, allowed);
  for (std::size_t r = 1; r < runs.size(); ++r)
    for (auto const& before : runs.first(r))
      if (const std::string differing = differences(before, runs[r], allowed); !differing.empty())
        throw std::invalid_argument(
            before.path.string() + " and " + runs[r].path.string() +
            " cannot be compared, because they differ in " + differing.substr(2) +
            ". To compare them in spite of a difference, add the option in parentheses");
}

std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed) {
  std::vector<std::string> doubts;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!is_in(allowed, keys[k]) && !is_in_list(keys[k], condition_keys()))
      add_unsaid(doubts, runs, keys[k], [k](Run const& run) { return !run.identity[k].second.empty(); });
  for (auto key : condition_keys())
    if (!is_in(allowed, key))
      add_unsaid(doubts, runs, key, [key](Run const& run) { return says_condition(run, key); });
  std::vector<Run const*> all;
  for (auto const& run : runs) all.push_back(&run);
  for (auto const& difference : differing_conditions(all, allowed))
    doubts.push_back(difference.files + " differ in " + difference.key + ": " + difference.values +
                     "; their times may differ for that reason alone (--allow " + difference.key +
                     " silences this warning)");
  return doubts;
}

}  // namespace ddproxy::results
