// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "planner/option_groups.hpp"
#include "results/run_file.hpp"

namespace ddproxy {
namespace {

void add_sides(CLI::App& command, results::CompareOptions& compare) {
  command.add_option_function<std::vector<std::filesystem::path>>(
      "FILES",
      [&compare](std::vector<std::filesystem::path> const& files) {
        compare.base.insert(compare.base.end(), files.begin(), files.end());
      },
      "BASE NEW, or BASE... -- NEW...; with --rank-machines any number of FILE or LABEL=FILE");
  command.add_option("--base", compare.base, "files of the base, one a run");
  command.add_option("--new", compare.next, "files of the new build, one a run");
}

void take_labels(std::vector<std::filesystem::path>& files, results::CompareOptions& compare) {
  for (auto& file : files) {
    auto [path, label] = results::split_label(file.string());
    if (!label.empty()) compare.labels[path] = label;
    file = std::move(path);
  }
}

void split_labels(results::CompareOptions& compare) {
  if (!compare.rank_machines) return;
  try {
    take_labels(compare.base, compare);
    take_labels(compare.next, compare);
  } catch (std::invalid_argument const& error) {
    throw CLI::ValidationError(error.what());
  }
}

// "BASE NEW" without --new: the second is the new one. What stands behind -- is new, too.
void split_sides(results::CompareOptions& compare, std::vector<std::string> const& after_dashes) {
  if (!after_dashes.empty() && !compare.next.empty())
    throw CLI::ValidationError("give the new files after -- or after --new, not both");
  compare.next.insert(compare.next.end(), after_dashes.begin(), after_dashes.end());
  if (compare.rank_machines || !compare.next.empty() || compare.base.size() != 2) return;
  compare.next = {compare.base.back()};
  compare.base.pop_back();
}

}  // namespace

void add_compare_command(CLI::App& app, Options& options) {
  auto& compare = options.compare;
  CLI::App* command = app.add_subcommand(
      "compare", "compare two builds; exit code 0: no regression, 1: regression, 5: undecided");
  add_sides(*command, compare);
  command->add_option_function<std::string>(
      "--tolerance",
      [&compare](std::string const& text) {
        try {
          compare.tolerance = results::parse_tolerance(text);
        } catch (std::invalid_argument const& error) {
          throw CLI::ValidationError(error.what());
        }
      },
      "the slowdown that matters, for instance 2% or 0.02 (default 2%)");
  command->add_option("--allow", compare.allow,
                      "compare although this key differs, or without its warning: " + results::known_keys());
  command->add_flag("--rank-machines", compare.rank_machines,
                    "order the machines (offers, by LABEL) of the files by the figure of merit instead");
  command->add_option("--history", compare.history,
                      "find the change points over this folder's files instead");
  command->add_option("--json", compare.json, "write the table to this file too");
  command->add_option("--csv", compare.csv, "the same as CSV");
  command->add_option("--junit", compare.junit, "the same as JUnit's XML");
  command->add_flag("--allow-undecided", compare.allow_undecided,
                    "exit with 0 instead of 5 where nothing could be decided; JUnit skips the suite");
  command->add_flag("--dry-run", compare.dry_run,
                    "only check the options and the files to be written; needs no FILES");
  command->callback([&options] {
    split_labels(options.compare);
    split_sides(options.compare, options.benchmark);
    options.command = "compare";
  });
}

}  // namespace ddproxy
