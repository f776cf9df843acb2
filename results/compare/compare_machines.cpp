// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "results/compare/compare_parts.hpp"
#include "results/compare/machine_doubts.hpp"
#include "results/compare/trends.hpp"
#include "results/file/validity.hpp"
#include "results/run/against.hpp"
#include "results/run/run_conditions.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;
using Texts = std::vector<std::string>;

constexpr auto may_differ = {"ranks",  "device", "sweep",   "mode",    "threads",
                             "pieces", "call",   "buffers", "priority"};

bool is_in(Texts const& allowed, std::string_view key) {
  return std::ranges::find(allowed, key) != allowed.end();
}

std::vector<Run> read_offers(CompareOptions const& options) {
  auto paths = options.base;
  paths.insert(paths.end(), options.next.begin(), options.next.end());
  if (paths.empty())
    throw std::invalid_argument("compare: --rank-machines needs results files, each as FILE or LABEL=FILE");
  auto runs = read_runs(paths);
  for (auto& run : runs)
    if (const auto given = options.labels.find(run.path); given != options.labels.end())
      run.label = given->second;
  return runs;
}

bool is_replay(Run const& run) {
  return run.replay;
}

bool is_single(Run const& run) {
  return run.valid == word_of(Validity::single);
}

bool has_whole_steps(Run const& run) {
  return run.has_steps();
}

using IsKind = bool (*)(Run const&);

std::string first_and_more(std::span<const Run> runs, IsKind is_kind, bool wanted) {
  const auto fits = [&](Run const& run) { return is_kind(run) == wanted; };
  const auto first = std::ranges::find_if(runs, fits);
  const auto more = std::ranges::count_if(runs, fits) - 1;
  return first->path.string() + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

bool is_mixed(std::span<const Run> runs, IsKind is_kind) {
  const auto count = std::ranges::count_if(runs, is_kind);
  return count != 0 && count != std::ssize(runs);
}

// Rejects a mix of replays and measured runs. A replay takes its times from tables or a roofline, so it does
// not measure a machine that somebody can buy.
void check_one_kind(std::span<const Run> runs, Texts const& allowed) {
  if (!is_mixed(runs, is_replay) || is_in(allowed, "mode")) return;
  throw std::invalid_argument("compare: --rank-machines: replays (" + first_and_more(runs, is_replay, true) +
                              ") are not ranked among measured runs (" +
                              first_and_more(runs, is_replay, false) +
                              "), because a replay takes times from tables; rank each kind alone, or rank "
                              "them together with --allow mode");
}

// Rejects a mix of single-rank and multi-rank runs: one rank has no communication, so its tokens per second
// cannot be compared with those of ranks that communicate.
void check_all_reduce(std::span<const Run> runs, Texts const& allowed) {
  if (!is_mixed(runs, is_single) || is_in(allowed, "valid")) return;
  throw std::invalid_argument(
      "compare: --rank-machines: runs of one rank (" + first_and_more(runs, is_single, true) +
      ") are not ranked among runs that reduce (" + first_and_more(runs, is_single, false) +
      "), because one rank reduces nothing (valid=single); rank each kind alone, or rank them together with "
      "--allow valid");
}

// Rejects a mix of whole steps and sweeps: a whole step has a forward pass and an update, too, so its tokens
// per second are fewer on the same machine.
void check_one_part(std::span<const Run> runs) {
  if (!is_mixed(runs, has_whole_steps)) return;
  throw std::invalid_argument(
      "compare: --rank-machines: whole steps (" + first_and_more(runs, has_whole_steps, true) +
      ") are not ranked among backward passes (" + first_and_more(runs, has_whole_steps, false) +
      "), because a whole step has a forward pass and an update, too; rank each kind alone");
}

std::string const& value_of(Run const& run, std::string_view key) {
  return std::ranges::find(run.identity, key, [](auto const& pair) { return pair.first; })->second;
}

// Returns one warning for each value of a key in the list below that differs from the value of the first run.
// Such differences are allowed, but they make figures of merit harder to compare.
Texts differing(std::span<const Run> runs, Texts const& allowed) {
  Texts doubts;
  for (auto key : {"sweep", "mode", "pieces", "call", "buffers", "priority"}) {
    if (is_in(allowed, key)) continue;
    std::set<std::string> seen{value_of(runs[0], key), ""};
    for (auto const& run : runs)
      if (auto const& value = value_of(run, key);
          !value_of(runs[0], key).empty() && seen.insert(value).second)
        doubts.push_back(runs[0].path.string() + " and " + run.path.string() + " differ in the " + key +
                         ": " + against(key, value_of(runs[0], key), value) +
                         "; their figures of merit may differ for that reason alone (--allow " + key +
                         " silences this warning)");
  }
  return doubts;
}

// Warns if the runs of one machine differ in their software. The runs may then belong to two offers (machines
// to rank, see trends.hpp) to which the user gave no labels.
void add_software_doubts(Texts& doubts, MachineMerit const& m, Texts const& allowed) {
  const std::set<std::string_view> software{"compiler", "flags", "blas", "mpi", "kokkos", "call"};
  for (auto const& difference : differing_conditions(m.runs, allowed))
    if (software.contains(difference.key))
      doubts.push_back(m.machine + ": its runs " + difference.files + " differ in " + difference.key + ": " +
                       difference.values +
                       "; to rank them as two machines, give each a label (LABEL=FILE); otherwise --allow " +
                       difference.key + " silences this warning");
}

Table table_of(std::span<const MachineMerit> ranked) {
  Table table{"machines",
              {{"machine", "machine", Kind::text},
               {"times", "times", Kind::text},
               {"runs", "runs", Kind::count},
               {"tokens_per_s", "tokens/s", Kind::number},
               {"low", "95 % low", Kind::number},
               {"high", "95 % high", Kind::number}},
              {}};
  for (auto const& m : ranked) {
    Row row{{{m.machine}, {m.replay ? "replayed" : "measured"}, {"", static_cast<double>(m.runs.size())}},
            ""};
    append(row, {m.tokens_per_s.value, m.tokens_per_s.low, m.tokens_per_s.high});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

int order_machines(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  const auto runs = read_offers(options);
  check_one_part(runs);
  check_one_kind(runs, options.allow);
  check_all_reduce(runs, options.allow);
  auto allowed = options.allow;
  allowed.insert(allowed.end(), may_differ.begin(), may_differ.end());
  check_comparable(runs, allowed);
  auto doubts = differing(runs, options.allow);
  for (auto const& run : runs)
    if (!run.complete)
      doubts.push_back(run.path.string() +
                       ": the run was interrupted; it is ranked by the samples that it has");
  const auto ranked = rank_machines(runs);
  for (auto const& m : ranked) add_software_doubts(doubts, m, options.allow);
  for (auto& doubt : machine_doubts(ranked)) doubts.push_back(std::move(doubt));
  finish(table_of(ranked), doubts, options, out, warnings);
  return 0;
}

}  // namespace ddproxy::results
