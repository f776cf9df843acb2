// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "miniapp/input/options/option_groups.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy {
namespace {

constexpr auto about_compare =
    "Needs results files of `ddproxy run`, `sweep` or `step`. One measured file on each side is too few for "
    "a decision; scripts/gate makes enough files.\n"
    "Prints one row for each case: both times, the ratio new/base with its 95 % interval, the noise and a "
    "verdict. The last line is the decision.\n"
    "The test compares rounds if the files come from scripts/gate: in a round both builds took turns. "
    "Otherwise it compares runs if a side has several files, and samples if each side has one file.\n"
    "The ratio is a mean or median over many ratios, so it can differ from the quotient of the two times in "
    "its row. The noise is the standard deviation between rounds, or between the runs of a side.\n"
    "Exit codes: 0 no regression; 1 regression; 2 wrong usage, or files that cannot be compared; 4 run-time "
    "failure;\n"
    "5 undecided: no slowdown was found, but the runs are too few or too noisy to exclude one.";

void add_sides(CLI::App& command, results::CompareOptions& compare) {
  command.add_option_function<std::vector<std::filesystem::path>>(
      "FILES",
      [&compare](std::vector<std::filesystem::path> const& files) {
        compare.base.insert(compare.base.end(), files.begin(), files.end());
      },
      "results files: BASE NEW, or BASE... -- NEW...; with --rank-machines any number of FILE or LABEL=FILE");
  command.add_option("--base", compare.base, "results files of the base build, one for each run");
  command.add_option("--new", compare.next, "results files of the new build, one for each run");
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
      "do not compare two builds. Ask whether the newest nightly run in this folder "
      "(*.night.json or *.h5), or the mean of the newest 2, 3, 5, 8, 13 or 21 runs, is slower "
      "than the earlier runs");
  command
      .add_option("--pin", compare.pin,
                  "also compare the newest nightly runs with the runs around a fixed night. This finds a "
                  "slow drift. FILE is the file of that night in the folder")
      ->needs(history);
  add_share(command, "--at-least", compare.at_least,
            "with --history: answer 'undecided' if the nightly runs are too few or too noisy to find a "
            "slowdown of this share (default 10%)");
  command
      .add_option("--acknowledge", compare.acknowledge,
                  "accept the present slowdowns, and store this reason in the folder")
      ->needs(history);
  command
      .add_option("--acknowledge-case", compare.acknowledge_cases,
                  "with --acknowledge: accept the slowdowns of this case only; may be repeated")
      ->allow_extra_args(false)
      ->needs(history);
}

// Divides the files into base files and new files. Files after -- are new. If there are two files and neither
// -- nor --new, the second file is new.
void split_sides(results::CompareOptions& compare, std::vector<std::string> const& after_dashes) {
  if (!after_dashes.empty() && !compare.next.empty())
    throw CLI::ValidationError("give the new files either after -- or after --new, not both");
  for (auto const& text : after_dashes)
    if (text.starts_with("--"))
      throw CLI::ValidationError(text + ": put options before --; only the new files may follow it");
  compare.next.insert(compare.next.end(), after_dashes.begin(), after_dashes.end());
  if (compare.rank_machines || !compare.next.empty() || compare.base.size() != 2) return;
  compare.next = {compare.base.back()};
  compare.base.pop_back();
}

}  // namespace

void add_compare_command(CLI::App& app, Options& options) {
  auto& compare = options.compare;
  CLI::App* command = app.add_subcommand(
      "compare",
      "decide from results files whether a build is slower than another; rank machines; find slowdowns in a "
      "series of nightly runs");
  add_sides(*command, compare);
  add_share(*command, "--tolerance", compare.tolerance,
            "smallest slowdown that matters, for instance 2% or 0.02 (default 2%)");
  command
      ->add_option("--allow", compare.allow,
                   "compare although the files differ in this key; without this option a difference is an "
                   "error, or for some keys a warning; may be repeated. The message about a difference names "
                   "its key; docs/results.md explains all keys: " +
                       results::known_keys())
      ->allow_extra_args(false);
  command->add_flag("--rank-machines", compare.rank_machines,
                    "rank machines by the figure of merit, instead of comparing two builds; all files with "
                    "one label are one "
                    "machine");
  add_history(*command, compare);
  command->add_option(
      "--night", compare.night,
      "also write the ratios to this file, which --history reads as one nightly run; FILES must be the "
      "results files that scripts/gate wrote");
  command->add_option("--json", compare.json, "also write the table to this file as JSON");
  command->add_option("--csv", compare.csv, "also write the table to this file as CSV");
  command->add_option("--junit", compare.junit, "also write the table to this file as JUnit XML");
  command->add_flag(
      "--allow-undecided", compare.allow_undecided,
      "exit with code 0 instead of 5 if the comparison is undecided; JUnit marks the decision as skipped");
  command->add_flag(
      "--dry-run", compare.dry_run,
      "check the options and whether the output files can be written, then exit; needs no FILES");
  command->footer(about_compare);
  command->callback([&options] {
    split_labels(options.compare);
    split_sides(options.compare, options.benchmark);
    options.command = "compare";
  });
}

}  // namespace ddproxy
