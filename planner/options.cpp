// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

namespace ddproxy {
namespace {

constexpr auto about =
    "How fast does this machine average the gradients of a GPT-2 while it computes them, and which bucket "
    "size is best?\n"
    "Start run, layers, allreduce and sweep with mpirun or srun; arguments after -- go to Google Benchmark.";

CLI::App* add_command(CLI::App& app, Options& options, std::string const& name, std::string const& what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("INPUT", options.input, "input file, TOML")->required();
  command->add_option("-o,--output", options.output, "results file, HDF5")->capture_default_str();
  command->add_option("--json", options.json, "write the figures and all tables to this file too");
  command->add_flag("--dry-run", options.dry_run,
                    "say what would be done and what it needs; touches no device");
  command->callback([&options, name] { options.command = name; });
  return command;
}

void add_commands(CLI::App& app, Options& options) {
  add_command(app, options, "run", "verify, measure, predict, sweep, store and print: the main job");
  add_command(app, options, "layers", "time each operation of the backward pass");
  auto* allreduce = add_command(app, options, "allreduce", "time the all-reduce alone over message sizes");
  allreduce
      ->add_option("--chunks", options.chunks_mib,
                   "reduce a fixed total in pieces of these sizes instead, MiB")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  allreduce->add_option("--total", options.total_mib, "that total, MiB; all gradients where not given")
      ->check(CLI::PositiveNumber);
  add_command(app, options, "sweep", "measure T(b) over the cases, without a prediction");
}

int report(CLI::App const& app, CLI::ParseError const& error, bool speak) {
  if (error.get_exit_code() == 0) return speak ? app.exit(error) : 0;
  if (speak) fmt::print(stderr, "ddproxy: {}; see ddproxy --help\n", error.what());
  return 2;
}

}  // namespace

std::optional<Options> parse_options(int argc, char const* const* argv, char const* version, bool speak,
                                     int& exit_code) {
  const std::span<char const* const> all(argv, static_cast<std::size_t>(argc));
  const auto separator = std::ranges::find(all, std::string_view("--"));
  Options options;
  options.command_line = fmt::format("{}", fmt::join(all, " "));
  if (separator != all.end()) options.benchmark.assign(separator + 1, all.end());

  CLI::App app(about, "ddproxy");
  app.set_version_flag("--version", std::string("ddproxy ") + version);
  app.require_subcommand(1);
  add_commands(app, options);
  try {
    app.parse(static_cast<int>(separator - all.begin()), argv);
  } catch (CLI::ParseError const& error) {
    exit_code = report(app, error, speak);
    return std::nullopt;
  }
  return options;
}

}  // namespace ddproxy
