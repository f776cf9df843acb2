// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "miniapp/options/option_groups.hpp"
#include "results/run/run_file.hpp"

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

void add_share(CLI::App& command, std::string const& name, double& share, std::string const& help) {
  command.add_option_function<std::string>(
      name,
      [name, &share](std::string const& text) {
        try {
          share = results::parse_share(name, text);
        } catch (std::invalid_argument const& error) {
          throw CLI::ValidationError(error.what());
        }
      },
      help);
}

void add_history(CLI::App& command, results::CompareOptions& compare) {
  CLI::Option* history = command.add_option(
      "--history", compare.history,
      "test the newest nights of this folder (*.night.json, or *.h5) against the nights before instead");
  command
      .add_option("--pin", compare.pin, "with --history: compare with the level at this night's file, too")
      ->needs(history);
  add_share(command, "--at-least", compare.at_least,
            "with --history: undecided where a slowdown by this share could go unseen (default 10%)");
  command
      .add_option("--acknowledge", compare.acknowledge,
                  "with --history: accept the present slowdowns for this reason, and keep that in the folder")
      ->needs(history);
  command
      .add_option("--acknowledge-case", compare.acknowledge_cases, "accept only the slowdowns of this case")
      ->allow_extra_args(false)
      ->needs(history);
}

// Divides the files into base files and new files. Files after -- are new. In "BASE NEW", without --new, the
// second file is new.
void split_sides(results::CompareOptions& compare, std::vector<std::string> const& after_dashes) {
  if (!after_dashes.empty() && !compare.next.empty())
    throw CLI::ValidationError("give the new files after -- or after --new, not both");
  for (auto const& text : after_dashes)
    if (text.starts_with("--"))
      throw CLI::ValidationError(text + ": options stand before --, only the new files behind it");
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
  add_share(*command, "--tolerance", compare.tolerance,
            "the slowdown that matters, for instance 2% or 0.02 (default 2%)");
  command
      ->add_option("--allow", compare.allow,
                   "compare although this key differs, or without its warning: " + results::known_keys())
      ->allow_extra_args(false);
  command->add_flag("--rank-machines", compare.rank_machines,
                    "order the machines (offers, by LABEL) of the files by the figure of merit instead");
  add_history(*command, compare);
  command->add_option("--night", compare.night,
                      "write the ratios of these rounds of scripts/gate to this file too, for --history");
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
