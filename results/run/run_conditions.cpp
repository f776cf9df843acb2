// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "results/run/against.hpp"
#include "results/run/joined.hpp"
#include "results/run/run_identity.hpp"

namespace ddproxy::results {
namespace {

constexpr double most_clock_ratio = 1.05;

constexpr double most_round_trip_ratio = 1.6;  // same ratio as in model::MachineStates

constexpr std::array<std::string_view, 12> condition_names{"host",  "compiler", "flags",   "blas",
                                                           "mpi",   "kokkos",   "binding", "clock",
                                                           "state", "call",     "warmup",  "compute_samples"};

// Lists the keys in the order of conditions_of(). A key with two conditions occurs twice.
constexpr std::array<std::string_view, 14> keys_in_order{
    "host",  "compiler", "flags", "blas", "mpi",  "kokkos", "binding",
    "clock", "clock",    "state", "call", "call", "warmup", "compute_samples"};

std::vector<std::string> texts_of(Reader const& reader, std::string_view dataset) {
  return reader.has(dataset) ? reader.texts(dataset) : std::vector<std::string>{};
}

std::vector<double> reals_of(Reader const& reader, std::string_view dataset) {
  return reader.has(dataset) ? reader.reals(dataset) : std::vector<double>{};
}

std::string distinct(std::vector<std::string> const& values) {
  return joined(std::set<std::string>(values.begin(), values.end()));
}

// Returns the Kokkos configuration without the lines about the number of threads and the device, because
// these have keys of their own.
std::string kokkos_of(Reader const& reader) {
  std::istringstream lines(reader.text("/provenance", "kokkos"));
  std::vector<std::string> kept;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty() && !line.starts_with("Kokkos::")) kept.push_back(line);
  }
  return joined(kept);
}

std::string binding_of(Reader const& reader) {
  auto bindings = texts_of(reader, "/provenance/binding");
  for (std::size_t r = 0; r < bindings.size(); ++r)
    bindings[r] = "rank " + std::to_string(r) + " on " + bindings[r];
  std::string all;
  for (auto const& binding : bindings) all += (all.empty() ? "" : "; ") + binding;
  return all;
}

// Returns the round trip between two cores, in seconds, in the machine state to which the figures of the file
// belong. Returns 0 if the figures mix several states, or if the file does not contain the states.
double round_trip_of(Reader const& reader) {
  if (!reader.has("/states/scored") || !reader.has("/states/round_trip")) return 0;
  const auto scored = reader.integers("/states/scored");
  const auto round_trips = reader.reals("/states/round_trip");
  const bool known =
      scored.size() == 1 && scored[0] >= 0 && static_cast<std::size_t>(scored[0]) < round_trips.size();
  return known ? round_trips[static_cast<std::size_t>(scored[0])] : 0;
}

// Returns the MPI call that made the all-reduces. If an earlier version wrote a file of whole steps, only the
// group /allreduce has it.
std::string call_of(Reader const& reader) {
  const auto call = reader.text(measured_group(reader), "call");
  return call.empty() && has_steps(reader) ? reader.text("/allreduce", "call") : call;
}

bool says(Condition const& condition) {
  return !condition.value.empty() || condition.round_trip > 0 ||
         std::ranges::any_of(condition.hertz, [](double f) { return f > 0.0; });
}

bool far_apart(double a, double b, double most_ratio = most_clock_ratio) {
  return a > 0.0 && b > 0.0 && std::max(a, b) / std::min(a, b) > most_ratio;
}

double slowest(std::vector<double> const& hertz) {
  double least = std::nan("");
  for (double f : hertz)
    if (f > 0.0 && !(f >= least)) least = f;
  return least;
}

std::string gigahertz(std::string const& what, double a, double b) {
  char text[96];
  std::snprintf(text, sizeof text, "'%.2f GHz' against '%.2f GHz' (%s)", a * 1e-9, b * 1e-9, what.c_str());
  return text;
}

// Compares clocks rank by rank. If the numbers of ranks differ, it compares the slowest clock of each file.
// Returns an empty text if the clocks agree.
std::string compared_clocks(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size())
    return far_apart(slowest(a), slowest(b)) ? gigahertz("slowest rank", slowest(a), slowest(b)) : "";
  for (std::size_t r = 0; r < a.size(); ++r)
    if (far_apart(a[r], b[r])) return gigahertz("rank " + std::to_string(r), a[r], b[r]);
  return "";
}

std::string compared_states(double a, double b) {
  if (!far_apart(a, b, most_round_trip_ratio)) return "";
  char text[96];
  std::snprintf(text, sizeof text, "'%.0f ns' against '%.0f ns' (round trip between cores)", a * 1e9,
                b * 1e9);
  return text;
}

std::string compared(Condition const& a, Condition const& b) {
  if (!says(a) || !says(b)) return "";
  if (a.round_trip > 0) return compared_states(a.round_trip, b.round_trip);
  if (!a.hertz.empty() || !b.hertz.empty()) return compared_clocks(a.hertz, b.hertz);
  return a.value == b.value ? "" : against(a.key, a.value, b.value);
}

std::string files_of(Run const& a, Run const& b) {
  return a.path.string() + " and " + b.path.string();
}

// Finds the first pair of runs that differ in conditions[c], and assigns it to `found`. Agreement is not
// transitive: clocks may drift apart in small steps, and a file may lack the condition. So the function
// compares every pair of distinct values. Equal values are compared only once.
bool find_pair(std::span<Run const* const> runs, std::size_t c, ConditionDifference& found) {
  std::vector<Run const*> different;
  for (Run const* run : runs) {
    auto const& own = run->conditions[c];
    if (!says(own)) continue;
    const auto same = [&](Run const* other) {
      auto const& its = other->conditions[c];
      return its.value == own.value && its.hertz == own.hertz && its.round_trip == own.round_trip;
    };
    if (std::ranges::any_of(different, same)) continue;
    for (Run const* other : different)
      if (auto values = compared(other->conditions[c], own); !values.empty()) {
        found = {own.key, files_of(*other, *run), std::move(values)};
        return true;
      }
    different.push_back(run);
  }
  return false;
}

}  // namespace

std::span<const std::string_view> condition_keys() {
  return condition_names;
}

bool has_all_conditions(Run const& run) {
  return std::ranges::equal(run.conditions, keys_in_order, {}, &Condition::key);
}

bool says_condition(Run const& run, std::string_view key) {
  return std::ranges::any_of(run.conditions, [&](auto const& one) { return one.key == key && says(one); });
}

std::vector<Condition> conditions_of(Reader const& reader) {
  return {{"host", distinct(texts_of(reader, "/provenance/host"))},
          {"compiler", reader.text("/provenance", "compiler")},
          {"flags", reader.text("/provenance", "flags")},
          {"blas", reader.text("/provenance", "blas")},
          {"mpi", reader.text("/provenance", "mpi")},
          {"kokkos", kokkos_of(reader)},
          {"binding", binding_of(reader)},
          {"clock", "", reals_of(reader, "/provenance/clock")},
          {"clock", "", reals_of(reader, "/provenance/memory_clock")},
          {"state", "", {}, round_trip_of(reader)},
          {"call", call_of(reader)},
          {"call", reader.text("/provenance", "allreduce")},
          {"warmup", reader.text(measured_group(reader), "warmup")},
          {"compute_samples", distinct(texts_of(reader, "/sweep/compute_source"))}};
}

std::vector<ConditionDifference> differing_conditions(std::span<Run const* const> runs,
                                                      std::span<const std::string> allowed) {
  std::vector<ConditionDifference> all;
  if (runs.empty()) return all;
  for (std::size_t c = 0; c < runs[0]->conditions.size(); ++c) {
    auto const& key = runs[0]->conditions[c].key;
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    if (!all.empty() && all.back().key == key) continue;
    if (ConditionDifference found; find_pair(runs, c, found)) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace ddproxy::results
