// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare.hpp"

#include <stdexcept>

#include "results/compare/acknowledged.hpp"
#include "results/compare/compare_parts.hpp"
#include "results/history/history.hpp"
#include "results/output/output_files.hpp"

namespace ddproxy::results {
namespace {

std::vector<std::filesystem::path> inputs_of(CompareOptions const& options) {
  if (options.history) {
    auto paths = history_files(*options.history);
    paths.push_back(acknowledged_file(*options.history));
    return paths;
  }
  auto paths = options.base;
  paths.insert(paths.end(), options.next.begin(), options.next.end());
  return paths;
}

// Checks the output files before anything is compared. Throws std::invalid_argument if an output file is also
// an input, if two options name the same output file, or if a file cannot be written.
void check_outputs(CompareOptions const& options) {
  auto taken = inputs_of(options);
  for (auto const& output : {options.json, options.csv, options.junit, options.night}) {
    if (!output) continue;
    for (auto const& other : taken)
      if (is_same_file(*output, other))
        throw std::invalid_argument(
            "compare: " + output->string() +
            " is an output file, but it is also read as an input or written by another option; give another "
            "file");
    check_writable(*output);
    taken.push_back(*output);
  }
}

// Throws std::invalid_argument if an option of another comparison is given together with --history.
void check_history(CompareOptions const& options) {
  if (!options.history) return;
  if (!options.base.empty() || !options.next.empty())
    throw std::invalid_argument("compare: give either results files or --history, not both");
  if (options.rank_machines || options.night)
    throw std::invalid_argument(std::string("compare: give either ") +
                                (options.rank_machines ? "--rank-machines" : "--night") +
                                " or --history, not both");
}

}  // namespace

int compare(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  check_keys(options.allow);
  check_history(options);
  check_outputs(options);
  if (options.dry_run) return 0;
  if (options.history) return show_history(options, out, warnings);
  if (options.rank_machines) return order_machines(options, out, warnings);
  return compare_two_sides(options, out, warnings);
}

}  // namespace ddproxy::results
