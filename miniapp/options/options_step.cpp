// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/options/option_groups.hpp"

namespace ddproxy {
namespace {

constexpr auto about_step =
    "Needs neither MPI nor a device. Fits a roofline to published times of forward, backward and whole steps "
    "on one device,\n"
    "and prints the published and the fitted times beside each other, with the error of each "
    "(docs/predict.md).\n"
    "Exit codes: 0 success; 2 wrong usage or input; 4 run-time failure.";

}  // namespace

CLI::Option* add_against(CLI::App& command, Options& options) {
  return command.add_option(
      "--against", options.against,
      "compare a fitted roofline with published step times: 'published', or a CSV table "
      "(docs/predict.md)");
}

void add_step_command(CLI::App& app, Options& options) {
  CLI::App* command = app.add_subcommand("step", "compare published step times with a fitted roofline");
  add_against(*command, options)->required();
  command->add_option("--json", options.json, "also write the comparison to this file as JSON");
  command->footer(about_step);
  command->callback([&options] { options.command = "step"; });
}

}  // namespace ddproxy
