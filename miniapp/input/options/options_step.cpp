// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/option_groups.hpp"

namespace ddproxy {
namespace {

constexpr auto about_step =
    "Start one process for each rank: mpirun -n RANKS ddproxy step INPUT. Prints forward, backward, exposed "
    "communication, clip, update\n"
    "and the whole step, measured and predicted, and the line DDPROXY_STEP_FOM for other programs. Its field "
    "model_error is\n"
    "|predicted step / measured step - 1|; in the line DDPROXY_FOM of 'run' it is the mean error of the "
    "predicted E.\n"
    "With --against the command needs neither an input, nor MPI, nor a device. It fits a roofline to "
    "published times of steps on one device,\n"
    "and prints the published and the fitted times beside each other, with the error of each "
    "(docs/predict.md).\n"
    "Exit codes: 0 success; 2 wrong usage or input; 3 a check found a wrong result of a collective, a wrong "
    "loss or wrong parameters;\n"
    "4 run-time failure; 75 interrupted, and the samples so far are in FILE.part.";

}  // namespace

CLI::Option* add_against(CLI::App& command, Options& options) {
  return command.add_option(
      "--against", options.against,
      "compare a fitted roofline with published step times: 'published', or a CSV table "
      "(docs/predict.md)");
}

void add_step_command(CLI::App& app, Options& options) {
  CLI::App* command = app.add_subcommand(
      "step", "measure and predict whole training steps, or compare published step times with a roofline");
  CLI::Option* against = add_against(*command, options);
  command->add_option("INPUT", options.input, "input file (TOML, docs/input.md)")->excludes(against);
  command->add_option("-o,--output", options.output, "write the results to this HDF5 file")
      ->capture_default_str()
      ->excludes(against);
  command->add_option("--json", options.json,
                      "also write the values of DDPROXY_STEP_FOM and all tables to this file as JSON");
  add_dry_run(*command, options)->excludes(against);
  add_resume(*command, options)->excludes(against);
  add_label(*command, options)->excludes(against);
  add_trace(*command, options)->excludes(against);
  command->add_flag("--share-device", options.share_device,
                    "allow several ranks to use the same device; without this option that is an error");
  add_threads(*command, options);
  command->add_flag("--strict", options.strict,
                    "exit with code 2 if the ranks have more threads than cores, instead of a warning");
  command->footer(about_step);
  command->callback([&options] {
    options.command = "step";
    if (options.input.empty() && options.against.empty())
      throw CLI::ValidationError(
          "give an input file to measure whole steps, or --against to compare published times");
  });
}

}  // namespace ddproxy
