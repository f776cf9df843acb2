// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "results/compare/compare_parts.hpp"
#include "results/compare/compare_runs.hpp"
#include "results/compare/night.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string alarm_of(CaseComparison const& c) {
  return c.verdict == Verdict::slower ? percent(c.ratio.value - 1.0) + " slower" : "";
}

std::string doubt_of(CaseComparison const& c, Comparison const& all) {
  if (c.verdict != Verdict::undecided) return "";
  return c.doubt.empty() ? all.outcome.reason : c.doubt;
}

Table table_of(Comparison const& comparison) {
  Table table{"compare",
              {{"case", "case", Kind::text},
               {"base_s", "base", Kind::seconds},
               {"new_s", "new", Kind::seconds},
               {"ratio", "new/base", Kind::ratio},
               {"low", "95 % low", Kind::ratio},
               {"high", "95 % high", Kind::ratio},
               {"noise", "noise", Kind::share},
               {"p", "p-value", Kind::number},
               {"verdict", "verdict", Kind::text},
               {"note", "", Kind::text}},
              {},
              {{"smallest_found_of_all_cases", comparison.smallest_of_all},
               {"smallest_found_of_one_case", comparison.smallest_of_one}},
              comparison.outcome};
  for (auto const& c : comparison.cases) {
    Row row{{{c.name}, {"", c.base}, {"", c.next}}, alarm_of(c), doubt_of(c, comparison)};
    append(row, {c.ratio.value, c.ratio.low, c.ratio.high});
    row.cells.insert(row.cells.end(), {{"", c.noise}, {"", c.p}, {name_of(c.verdict)}, {c.doubt}});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string units_of(Comparison const& c) {
  const std::string unit = name_of(c.unit);
  if (c.unit == Unit::rounds)
    return std::to_string(c.base_units) + (c.base_units == 1 ? " round" : " rounds") +
           ", in which both builds took turns";
  return unit + " of the base build: " + std::to_string(c.base_units) +
         ", of the new build: " + std::to_string(c.next_units);
}

// Returns the comparison as a night (night.hpp). The base build is the reference build of the night. The
// noise is NaN if there is only one round.
Night night_of(Comparison const& comparison, Run const& base, Run const& next) {
  Night night;
  night.created = next.created;
  night.machine = next.machine;
  night.revision = next.revision;
  night.reference_revision = base.revision;
  night.identity = next.identity;
  night.rounds = comparison.base_units;
  for (auto const& c : comparison.cases)
    night.cases.push_back({c.name == all_cases ? the_whole : c.name, std::log(c.ratio.value), c.noise});
  return night;
}

void keep_night(CompareOptions const& options, Comparison const& comparison, std::span<const Run> runs) {
  if (!options.night) return;
  if (comparison.unit != Unit::rounds || comparison.cases.size() < 2)
    throw std::invalid_argument(
        "compare: --night " + options.night->string() +
        ": this option needs the files of scripts/gate, but these files were not written by it; run "
        "scripts/gate with --reference and --history");
  write_night(*options.night, night_of(comparison, runs.front(), runs.back()));
}

void check_sides(CompareOptions const& options) {
  if (!options.base.empty() && !options.next.empty()) return;
  const std::size_t files = options.base.size() + options.next.size();
  throw std::invalid_argument(
      "compare: " +
      (files > 1
           ? std::to_string(files) + " files are given, but not which build each of them belongs to; give"
           : std::string("give")) +
      " results files of both builds: BASE NEW, or BASE... -- NEW..., or --base FILE... --new FILE...");
}

}  // namespace

int compare_two_sides(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  check_sides(options);
  std::vector<Run> runs = read_runs(options.base);
  for (auto& run : read_runs(options.next)) runs.push_back(std::move(run));
  check_comparable(runs, options.allow);
  const std::span<const Run> all(runs);
  const bool may_miss = std::ranges::find(options.allow, "sweep") != options.allow.end();
  auto comparison =
      compare_runs(all.first(options.base.size()), all.subspan(options.base.size()), options.tolerance,
                   may_miss ? MissingCases::warned_of : MissingCases::undecided);
  if (comparison.cases.empty())
    throw std::invalid_argument(
        "compare: the files have no measured case in common; measure both builds with the same input");
  for (auto& doubt : doubts_of(all, options.allow)) comparison.warnings.push_back(std::move(doubt));
  keep_night(options, comparison, all);
  out << units_of(comparison) << '\n';
  finish(table_of(comparison), comparison.warnings, options, out, warnings);
  if (std::isfinite(comparison.smallest_of_all))
    out << "smallest slowdown that would be found with a probability of 90 %: "
        << percent(comparison.smallest_of_all) << " in all cases together, "
        << percent(comparison.smallest_of_one) << " in one case\n";
  out << comparison.outcome.reason << '\n';
  return exit_code_of(comparison.outcome.decision, options.allow_undecided);
}

}  // namespace ddproxy::results
