// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "miniapp/app/record/resume.hpp"
#include "miniapp/app/run_ends.hpp"
#include "miniapp/app/step_session.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/named_tables.hpp"
#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/machine/core_probe.hpp"
#include "miniapp/machine/interruption.hpp"
#include "results/output/output_files.hpp"

namespace ddproxy {
namespace {

void check_files(Options const& options, Config const& config) {
  const auto written = files_to_write(options);
  refuse_overwriting_earlier(options, written);
  refuse_clashes({{"the input file", config.file}, {"a table of the input", config.table}}, written);
  for (auto const& file : {options.json, options.trace})
    if (!file.empty()) results::check_writable(file);
}

void run_steps(StepSession& session, Runtime const& runtime) {
  session.first_step();
  session.calibrate();
  stop_where_signalled(runtime);
  session.verify();
  session.warm_up();
  session.predict();
  session.sample();
  session.finish();
}

}  // namespace

void execute_step(Options const& options, Runtime const& runtime) {
  stop_on_signals(runtime, options.output);
  Config config;
  Workload workload;
  runtime.together([&] {
    config = read_config(options.input);
    config.max_seconds = 0;  // this limit is for sweeps only
    config.tables = read_named_tables(config);
    workload = make_workload(config);
    if (runtime.root()) check_files(options, config);
  });
  agree_on_input(runtime, config);
  auto earlier = find_earlier_rounds(options, config, runtime);
  config.rounds_before = earlier.rounds;
  std::optional<StepSession> session;
  const std::function<void()> close = [&session] {
    if (session) session->close_unfinished();
  };
  const CallLimit limit(runtime, config.timeout_s, close);
  try {
    session.emplace(options, make_step_context(config, std::move(workload), runtime), std::move(earlier));
    run_steps(*session, runtime);
  } catch (StuckCall const& error) {
    leave_stuck_call(runtime, close, error.what());
  } catch (CollectiveError const& error) {
    if (device_is_lost()) leave_lost_device(runtime, close);
    if (!session || error.code != exit_interrupted) throw;
    session->save();
    throw CollectiveError(error.code, session->interruption_text());
  } catch (...) {
    if (device_is_lost()) leave_lost_device(runtime, close);
    throw;
  }
}

}  // namespace ddproxy
