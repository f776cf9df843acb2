// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/input/options/option_groups.hpp"

namespace ddproxy {
namespace {

constexpr auto about_run =
    "Start one process for each rank: mpirun -n RANKS ddproxy run INPUT. If compute and all-reduces are "
    "replayed, start one process.\n"
    "Prints one row for each case with T, its 95 % interval, E and the predictions of both; at the end the "
    "best cap, the model error\n"
    "and the line DDPROXY_FOM for other programs. T is the time of the backward pass with its all-reduces, E "
    "the time of the communication that\ncompute does not hide. docs/glossary.md explains the other words.\n"
    "Each case is a benchmark of Google Benchmark. Arguments after -- go to it, for instance "
    "-- --benchmark_filter=bucketed.\n"
    "Exit codes: 0 success; 1 the model error is above --max-model-error, or the regret above --max-regret; "
    "2 wrong usage or input;\n"
    "3 a check found wrong gradients or a wrong result of a collective; 4 run-time failure; 75 interrupted, "
    "and the samples so far\n"
    "are in FILE.part.";
constexpr auto about_sweep =
    "Each case is a benchmark of Google Benchmark. Arguments after -- go to it, for instance "
    "-- --benchmark_filter=bucketed.\n";
constexpr auto exit_codes_of_measuring =
    "Exit codes: 0 success; 2 wrong usage or input; 3 a check found wrong gradients or a wrong result of a "
    "collective;\n"
    "4 run-time failure; 75 interrupted, and the samples so far are in FILE.part.";

CLI::App* add_command(CLI::App& app, Options& options, std::string const& name, std::string const& what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("INPUT", options.input, "input file (TOML, docs/input.md)")->required();
  command->add_option("-o,--output", options.output, "write the results to this HDF5 file")
      ->capture_default_str();
  command->add_option("--json", options.json,
                      "also write the values of DDPROXY_FOM and all tables to this file as JSON");
  add_dry_run(*command, options);
  command->add_flag("--share-device", options.share_device,
                    "allow several ranks to use the same device; without this option that is an error");
  add_threads(*command, options);
  command->add_flag("--strict", options.strict,
                    "exit with code 2 if the ranks have more threads than cores, instead of a warning");
  command->footer(exit_codes_of_measuring);
  command->callback([&options, name] { options.command = name; });
  return command;
}

void add_trace_of_cases(CLI::App& command, Options& options) {
  command
      .add_option("--trace-cases", options.trace_cases,
                  "write the timelines of these cases only, for instance flat,bucketed/25")
      ->delimiter(',')
      ->needs(add_trace(command, options));
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
          "two named pipes GO,READY: before each sample, ddproxy writes a byte to READY and waits for a byte "
          "from GO")
      ->delimiter(',')
      ->expected(2);
  command.add_option("--seed", turns.seed, "seed of the order of the cases; default: a random order");
  command.add_option("--session", turns.session,
                     "name of the session of scripts/gate, stored in the results file");
  command
      .add_option("--round", turns.round, "number of the round of scripts/gate, stored in the results file")
      ->check(CLI::PositiveNumber.description("(above 0)"));
  command
      .add_option(
          "--compute-cores", turns.compute_cores,
          "processors for compute, one entry for each rank of the node, for instance 0,1 or 0-2+5,6-9")
      ->delimiter(',');
  command
      .add_option("--communication-cores", turns.communication_cores,
                  "processors for the communication thread, one entry for each rank of the node")
      ->delimiter(',');
  command.add_option("--slow-operator", turns.slow_operator)->group("");  // for the gate's own tests
}

void add_sampling(CLI::App& command, Options& options) {
  command
      .add_option(
          "--max-seconds", options.max_seconds,
          "take at least [sweep] samples of each case. Take more until the 95 % interval of E of every case "
          "is as narrow as [sweep] target, or until another round would exceed this many seconds in total")
      ->check(positive_number());
}

// Adds an option for tests of the code that tells states of the machine apart.
void add_planted_state(CLI::App& command, Options& options) {
  command.add_option("--planted-state", options.planted_state)->check(CLI::PositiveNumber)->group("");
}

}  // namespace

CLI::Option* add_label(CLI::App& command, Options& options) {
  const auto one_line = [](std::string const& text) {
    const bool is_line = std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 127; });
    return is_line ? std::string() : "the label must be one line of text without control characters";
  };
  return command
      .add_option("--label", options.label,
                  "name for this machine or for a vendor's offer, stored in the results file; "
                  "`compare --rank-machines` treats each name as a separate machine")
      ->check(CLI::Validator(one_line, ""));
}

CLI::Option* add_trace(CLI::App& command, Options& options) {
  return command.add_option(
      "--trace", options.trace,
      "also write the timelines as a Chrome trace (JSON), for ui.perfetto.dev or chrome://tracing");
}

CLI::Option* add_dry_run(CLI::App& command, Options& options) {
  return command.add_flag(
      "--dry-run", options.dry_run,
      "print what would be measured and the memory that it needs, then exit; uses no device");
}

CLI::Option* add_resume(CLI::App& command, Options& options) {
  return command
      .add_option(
          "--resume", options.resume,
          "continue an interrupted run: take only the samples that this unfinished file FILE.part lacks; "
          "'auto' (for job scripts): continue FILE.part of -o FILE if that is possible, else take all "
          "samples")
      ->excludes(command.get_option("--dry-run"));
}

void add_threads(CLI::App& command, Options& options) {
  command
      .add_option(
          "--kokkos-num-threads", options.threads,
          "compute threads of each rank; default: the first of KOKKOS_NUM_THREADS, OMP_NUM_THREADS and "
          "[machine] threads that is set; if none is set, the number of cores of the rank, minus one if the "
          "rank has three or more")
      ->check(CLI::Range(1, 4096).description("(1 to 4096)"));
}

void add_limits(CLI::App& command, Options& options) {
  command
      .add_option(
          "--max-model-error", options.max_model_error,
          "exit with code 1 if the mean error of the predicted E is above this share, for instance 0.1")
      ->check(share_of_one());
  command
      .add_option("--max-regret", options.max_regret,
                  "exit with code 1 if T at the predicted best cap is above the smallest measured T by more "
                  "than this share, for instance 0.02")
      ->check(share_of_one());
}

void add_run_commands(CLI::App& app, Options& options) {
  auto* run = add_command(
      app, options, "run",
      "main command: measure and predict T and E of every bucket size, and print the figure of merit");
  run->footer(about_run);
  add_limits(*run, options);
  add_sampling(*run, options);
  add_resume(*run, options);
  add_planted_state(*run, options);
  add_label(*run, options);
  add_trace_of_cases(*run, options);
  add_command(app, options, "layers", "measure the time of each operation of the backward pass");
  auto* allreduce =
      add_command(app, options, "allreduce", "measure the all-reduce alone, over message sizes");
  add_pieces(*allreduce, options);
  add_collectives_options(
      *add_command(app, options, "collectives",
                   "measure all-reduce, reduce-scatter, all-gather and broadcast alone, over message sizes"),
      options);
  auto* sweep = add_command(app, options, "sweep", "measure T and E of every case, without a prediction");
  sweep->footer(std::string(about_sweep) + exit_codes_of_measuring);
  add_sampling(*sweep, options);
  add_resume(*sweep, options);
  add_label(*sweep, options);
  add_planted_state(*sweep, options);
  add_trace_of_cases(*sweep, options);
  add_turns(*sweep, options.turns);
  sweep->get_option("--resume")->excludes(sweep->get_option("--turns"));
}

}  // namespace ddproxy
