// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "results/compare_parts.hpp"
#include "results/comparison.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

constexpr std::string_view further_conditions =
    "the fastest samples must say so too, and the change be above three times the samples' noise";

std::string alarm_of(CaseComparison const& c) {
  if (c.verdict != Verdict::slower) return "";
  return percent(c.ratio.middle - 1.0) + " slower (with 99 % at least " + percent(c.family.low - 1.0) + ")";
}

std::string doubt_of(CaseComparison const& c, Comparison const& all) {
  if (c.verdict == Verdict::too_few)
    return "too few " + all.unit() + ": an alarm takes " + std::to_string(all.fewest) + " a side";
  if (c.verdict == Verdict::not_proved)
    return "ratio " + std::to_string(c.ratio.middle) +
           ", not proved by one file a side: " + std::string(further_conditions);
  return "";
}

// What was decided, and by which rule.
std::string summary_of(Comparison const& comparison) {
  std::ostringstream text;
  const double limit = 1.0 + comparison.tolerance / 2.0;
  text << comparison.count(Verdict::slower) << " of " << comparison.cases.size()
       << " are slower by the rule: the family's lower end above 1, the ratio above " << limit;
  if (comparison.of_samples) text << "; with one file a side " << further_conditions;
  if (const auto n = comparison.count(Verdict::not_proved); n > 0)
    text << "; " << n << " not proved: the interval agrees, these do not";
  if (const auto n = comparison.count(Verdict::too_few); n > 0)
    text << "; " << n << " with too few " << comparison.unit() << ": an alarm takes " << comparison.fewest
         << " a side";
  return text.str();
}

// Provisional: a case without a verdict leaves the whole undecided.
Decision outcome_of(Comparison const& comparison) {
  if (comparison.is_slower()) return Decision::slower;
  const bool open = comparison.count(Verdict::too_few) + comparison.count(Verdict::not_proved) > 0;
  return open ? Decision::undecided : Decision::unchanged;
}

Table table_of(Comparison const& comparison) {
  Table table{"compare",
              {{"case", "case", Kind::text},
               {"base_s", "base", Kind::seconds},
               {"new_s", "new", Kind::seconds},
               {"ratio", "ratio", Kind::ratio},
               {"low", "95 % from", Kind::ratio},
               {"high", "to", Kind::ratio},
               {"family_low", "family's from", Kind::ratio},
               {"family_high", "to", Kind::ratio},
               {"noise", "noise", Kind::share},
               {"needed", comparison.of_samples ? "samples needed" : "runs needed", Kind::count},
               {"verdict", "verdict", Kind::text}},
              {}};
  for (auto const& c : comparison.cases) {
    Row row{{{c.name}, {"", c.base}, {"", c.next}}, alarm_of(c), doubt_of(c, comparison)};
    append(row, {c.ratio.middle, c.ratio.low, c.ratio.high});
    append(row, {c.family.low, c.family.high});
    row.cells.push_back({"", c.noise});
    row.cells.push_back({"", c.needed < most_values ? static_cast<double>(c.needed) : std::nan("")});
    row.cells.push_back({name_of(c.verdict, comparison.unit())});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

int compare_two_sides(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  if (options.base.empty() || options.next.empty())
    throw std::invalid_argument("compare: give a file of the base and a new one, or --base F... --new F...");
  std::vector<Run> runs = read_runs(options.base);
  for (auto& run : read_runs(options.next)) runs.push_back(std::move(run));
  check_comparable(runs, options.allow);
  const std::span<const Run> all(runs);
  auto comparison =
      compare_runs(all.first(options.base.size()), all.subspan(options.base.size()), options.tolerance);
  if (comparison.cases.empty())
    throw std::invalid_argument("compare: the files have no measured case in common");
  for (auto& doubt : doubts_of(all, options.allow)) comparison.warnings.push_back(std::move(doubt));
  Table table = table_of(comparison);
  table.whole = {outcome_of(comparison), summary_of(comparison)};
  finish(table, comparison.warnings, options, out, warnings);
  out << table.whole->reason << '\n';
  return exit_code_of(table.whole->decision, options.allow_undecided);
}

}  // namespace ddproxy::results
