// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/options/option_groups.hpp"

namespace ddproxy {
namespace {

CLI::App* add_command(CLI::App& app, Options& options, std::string const& name, std::string const& what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("INPUT", options.input, "input file, TOML")->required();
  command->add_option("-o,--output", options.output, "results file, HDF5")->capture_default_str();
  command->add_option("--json", options.json, "write the figures and all tables to this file too");
  command->add_flag("--dry-run", options.dry_run,
                    "say what would be done and what it needs; touches no device");
  command->add_flag("--share-device", options.share_device,
                    "let several ranks use one device, which is refused otherwise");
  command
      ->add_option("--kokkos-num-threads", options.threads,
                   "threads with which each rank computes; by its cores where nothing says it")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--strict", options.strict, "refuse to run with more threads than cores (exit code 2)");
  command->callback([&options, name] { options.command = name; });
  return command;
}

void add_trace(CLI::App& command, Options& options) {
  auto* trace = command.add_option(
      "--trace", options.trace, "write the timelines as Chrome trace JSON, for Perfetto or chrome://tracing");
  command
      .add_option("--trace-cases", options.trace_cases, "of these cases only, for instance flat,bucketed/25")
      ->delimiter(',')
      ->needs(trace);
}

// Adds the options that `scripts/gate` gives to the two builds of a round.
void add_turns(CLI::App& command, TurnOptions& turns) {
  command
      .add_option_function<std::vector<std::filesystem::path>>(
          "--turns",
          [&turns](std::vector<std::filesystem::path> const& pipes) {
            turns.go = pipes.at(0);
            turns.ready = pipes.at(1);
          },
          "GO,READY: before each sample write a byte to the pipe READY and wait for one from GO")
      ->delimiter(',')
      ->expected(2);
  command.add_option("--seed", turns.seed, "of the order of the cases, which is random otherwise");
  command.add_option("--session", turns.session, "name of the gate's session, stored in the file");
  command.add_option("--round", turns.round, "number of the gate's round, stored in the file")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--compute-cores", turns.compute_cores,
                  "processors on which each rank of the node computes, for instance 0,1 or 0-2+5,6-9")
      ->delimiter(',');
  command
      .add_option("--communication-cores", turns.communication_cores,
                  "processors of each rank's communication thread")
      ->delimiter(',');
  command.add_option("--slow-operator", turns.slow_operator)->group("");  // for the gate's own tests
}

void add_sampling(CLI::App& command, Options& options) {
  command
      .add_option("--max-seconds", options.max_seconds,
                  "go on sampling for so long, until E of every case is known within [sweep] target")
      ->check(positive_number());
}

// Adds the option of the tests that tell states of the machine apart.
void add_planted_state(CLI::App& command, Options& options) {
  command.add_option("--planted-state", options.planted_state)->check(CLI::PositiveNumber)->group("");
}

void add_label(CLI::App& command, Options& options) {
  const auto one_line = [](std::string const& text) {
    const bool is_line = std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 127; });
    return is_line ? std::string() : "a label is one line of text, without control characters";
  };
  command
      .add_option(
          "--label", options.label,
          "name of the offer, kept in the results file; compare --rank-machines tells offers apart by it")
      ->check(CLI::Validator(one_line, "TEXT"));
}

}  // namespace

void add_limits(CLI::App& command, Options& options) {
  command
      .add_option("--max-model-error", options.max_model_error,
                  "exit 1 where the mean error of the predicted E is above this share")
      ->check(share_of_one());
  command
      .add_option("--max-regret", options.max_regret,
                  "exit 1 where T at the predicted best cap is above the best T by more than this share")
      ->check(share_of_one());
}

void add_run_commands(CLI::App& app, Options& options) {
  auto* run =
      add_command(app, options, "run", "verify, measure, predict, sweep, store and print: the main job");
  add_limits(*run, options);
  add_sampling(*run, options);
  add_planted_state(*run, options);
  add_label(*run, options);
  add_trace(*run, options);
  add_command(app, options, "layers", "time each operation of the backward pass");
  auto* allreduce = add_command(app, options, "allreduce", "time the all-reduce alone over message sizes");
  add_pieces(*allreduce, options);
  add_collectives_options(*add_command(app, options, "collectives",
                                       "time all-reduce, reduce-scatter, all-gather and broadcast alone"),
                          options);
  auto* sweep = add_command(app, options, "sweep", "measure T(b) over the cases");
  add_sampling(*sweep, options);
  add_label(*sweep, options);
  add_planted_state(*sweep, options);
  add_trace(*sweep, options);
  add_turns(*sweep, options.turns);
}

}  // namespace ddproxy
