// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>

#include "results/compare_parts.hpp"
#include "results/comparison.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string alarm_of(CaseComparison const& c) {
  if (c.verdict != Verdict::slower) return "";
  return percent(c.ratio.middle - 1.0) + " slower (with 99 % at least " + percent(c.family.low - 1.0) + ")";
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
    Row row{{{c.name}, {"", c.base}, {"", c.next}}, alarm_of(c)};
    append(row, {c.ratio.middle, c.ratio.low, c.ratio.high});
    append(row, {c.family.low, c.family.high});
    row.cells.push_back({"", c.noise});
    row.cells.push_back({"", static_cast<double>(c.needed)});
    row.cells.push_back({std::string(name_of(c.verdict))});
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
  const auto comparison =
      compare_runs(all.first(options.base.size()), all.subspan(options.base.size()), options.tolerance);
  if (comparison.cases.empty())
    throw std::invalid_argument("compare: the files have no measured case in common");
  finish(table_of(comparison), comparison.warnings, options, out, warnings);
  const auto slower = std::ranges::count(comparison.cases, Verdict::slower, &CaseComparison::verdict);
  out << slower << " of " << comparison.cases.size()
      << " are slower by the rule: the family's lower end above 1, the ratio above "
      << 1.0 + options.tolerance / 2.0 << '\n';
  return comparison.is_slower() ? 1 : 0;
}

}  // namespace ddproxy::results
