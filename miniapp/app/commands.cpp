// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "miniapp/app/check_messages.hpp"
#include "miniapp/app/record/resume.hpp"
#include "miniapp/app/run_ends.hpp"
#include "miniapp/app/session.hpp"
#include "miniapp/app/step_session.hpp"
#include "miniapp/app/table_paths.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/compute/replay/slowed_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/named_tables.hpp"
#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/input/options/scattered_elements.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/machine/core_probe.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/choose_mpi_calls.hpp"
#include "miniapp/measure/calibration/planted_state.hpp"
#include "miniapp/measure/step/group_lane.hpp"
#include "miniapp/measure/sweep/benchmark_driver.hpp"
#include "results/output/output_files.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

void refuse_overwriting(Options const& options, Config const& config) {
  auto written = files_to_write(options);
  for (char const* ending : table_endings)
    written.push_back(
        {fmt::format("a table beside {}", options.output.string()), beside(options.output, ending)});
  refuse_overwriting_earlier(options, written);
  refuse_clashes({{"the input file", config.file},
                  {"a table of the input", config.times},
                  {"a table of the input", config.table}},
                 written);
}

// Throws std::invalid_argument for errors that would otherwise appear only after everything has been
// measured.
void check_files(Options const& options, Config const& config, std::vector<Case> const& cases) {
  std::vector<std::string> names;
  for (auto const& item : cases) names.push_back(item.name());
  require_some(names, config.samples);
  for (auto const& name : options.trace_cases)
    if (std::ranges::find(names, name) == names.end())
      throw std::invalid_argument("--trace-cases: there is no case '" + name +
                                  "'; --dry-run lists the cases");
  refuse_overwriting(options, config);
  check_table_paths(options);
  for (auto const& file : {options.json, options.trace})
    if (!file.empty()) results::check_writable(file);
}

// Calls the methods of the session that carry out a command. A signal ends `run` and `sweep` between two of
// these calls, and during the sweep between two samples. The calibration and the measurement of all-reduces
// take no more samples after a signal.
void run_steps(Session& session, Runtime const& runtime, Options const& options) {
  auto const& command = options.command;
  const bool pieces = !options.pieces_mib.empty();
  if (command == "layers") session.layers();
  if (command == "allreduce" && pieces) session.pieces();
  if (command == "allreduce" && !pieces) session.allreduce();
  if (command == "collectives" && options.measures_sizes()) session.collectives();
  if (command == "collectives" && pieces) session.collective_pieces();
  if (command == "run") session.open_calibration();
  if (command == "sweep") session.plan_from_input();
  if (command == "run" || command == "sweep") {
    stop_where_signalled(runtime);
    session.verify();
    stop_where_signalled(runtime);
    if (command == "run") session.close_calibration();
    stop_where_signalled(runtime);
    session.sweep();
  }
  session.finish();
}

// The input of a command, and the cases that it measures.
struct Input {
  Config config;
  Workload workload;
  std::vector<Case> cases;
};

// Reads and checks the input and the options. Throws CollectiveError (exit code 2) on all ranks if a rank
// finds an error. Collective.
Input read_input(Options const& options, Runtime const& runtime) {
  Config config;
  Workload workload;
  std::vector<Case> cases;
  runtime.together([&] {
    config = read_config(options.input);
    config.max_seconds = options.max_seconds.value_or(config.max_seconds);
    config.tables = read_named_tables(config);
    workload = make_workload(config);
    cases = make_cases(config, workload);
    initialize_benchmark(options.benchmark);
    check_sizes(options, config, workload);
    if (options.command == "collectives") {
      const int ranks = config.backend == Backend::replay ? config.ranks : runtime.ranks();
      check_group(options, ranks);
      check_pairs(options, ranks);
      check_verbs(options, config);
    }
    if (runtime.root()) check_files(options, config, cases);
  });
  agree_on_input(runtime, config);
  return {std::move(config), std::move(workload), std::move(cases)};
}

RankContext make_context(Options const& options, Input const& input, Runtime const& runtime) {
  const double file_need = results_memory(input.config, input.workload, input.cases, runtime.ranks());
  const auto scattered = scattered_elements(options, input.config, input.workload, runtime.ranks());
  RankContext context = make_rank_context(input.config, input.workload, runtime, file_need, scattered);
  if (auto const& text = options.turns.slow_operator; !text.empty())
    context.backward = std::make_unique<SlowedLane>(std::move(context.backward), context.workload.pass, text);
  // When two builds take turns sample by sample (scripts/gate), both measure in the same states of the
  // machine. So the state is not probed.
  if (options.turns.go.empty()) context.probe = make_state_probe(runtime, context.reduces());
  return context;
}

// Chooses the MPI calls of the context, and the groups of ranks that it measures.
void choose_lane(Options const& options, RankContext& context) {
  if (options.command != "layers") choose_mpi_calls(context);
  if (options.group && *options.group < context.ranks())
    use_group_lane(context, *options.group, options.strided);
  if (context.runtime.root()) results::print_output(describe(context.choice));
  if (options.planted_state > 0) plant_state(context, options.planted_state);  // after choose_mpi_calls()
}

}  // namespace

void execute(Options const& options, Runtime const& runtime) {
  if (options.command == "step") return execute_step(options, runtime);
  stop_on_signals(runtime, options.output);
  Input input = read_input(options, runtime);
  auto earlier = find_earlier_rounds(options, input.config, runtime);
  input.config.rounds_before = earlier.rounds;
  input.config.seconds_before = earlier.seconds;
  RankContext context = make_context(options, input, runtime);
  std::optional<Session> session;
  const std::function<void()> close = [&session] {
    if (session) session->close_unfinished();
  };
  const CallLimit limit(runtime, input.config.timeout_s, close);
  try {
    choose_lane(options, context);
    session.emplace(options, std::move(context), std::move(input.cases), std::move(earlier));
    run_steps(*session, runtime, options);
  } catch (StuckCall const& error) {
    leave_stuck_call(runtime, close, error.what());
  } catch (CollectiveError const& error) {
    if (device_is_lost()) leave_lost_device(runtime, close);
    if (session && (error.code == exit_interrupted || error.code == exit_wrong_numbers))
      session->keep_open_calibration();
    if (!session || error.code != exit_interrupted) throw;
    session->save();
    throw CollectiveError(error.code, interruption_text(options.output, session->saved()));
  } catch (...) {
    if (device_is_lost()) leave_lost_device(runtime, close);
    throw;
  }
}

}  // namespace ddproxy
