// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "miniapp/check.hpp"
#include "miniapp/session.hpp"
#include "miniapp/signals.hpp"
#include "miniapp/sweep.hpp"
#include "results/output_files.hpp"

namespace ddproxy {
namespace {

void agree_on_input(Runtime const& runtime, Config const& config) {
  const auto mine = static_cast<std::int64_t>(std::hash<std::string>{}(config.text));
  std::vector<std::int64_t> first{mine};
  runtime.broadcast(first);
  runtime.together([&] {
    if (first[0] != mine)
      throw std::invalid_argument(
          fmt::format("{}: rank {} reads another text than rank 0; give all nodes the same file",
                      config.file.string(), runtime.rank()));
  });
}

// What would only fail when all is measured.
void check_files(Options const& options, Config const& config, Workload const& workload) {
  const auto cases = make_cases(config, workload);
  for (auto const& name : options.trace_cases)
    if (std::ranges::find(cases, name, &Case::name) == cases.end())
      throw std::invalid_argument("--trace-cases: there is no case '" + name + "'");
  for (auto const& file : {options.json, options.trace}) {
    if (file.empty()) continue;
    if (results::is_same_file(file, options.output))
      throw std::invalid_argument(file.string() + ": is the results file too");
    results::check_writable(file);
  }
}

void check_chunks(Options const& options, double total_mib) {
  if (options.total_mib > 0) total_mib = options.total_mib;
  for (double chunk : options.chunks_mib)
    if (chunk > total_mib)
      throw std::invalid_argument(
          fmt::format("--chunks: {} MiB is more than the total of {:.4g} MiB (--total)", chunk, total_mib));
}

void run_steps(Session& session, std::string const& command, bool pieces) {
  if (command == "layers" || command == "run") session.layers();
  if (command == "allreduce" && pieces) session.pieces();
  if ((command == "allreduce" && !pieces) || command == "run") session.allreduce();
  if (command == "run") {
    session.calibrate();
    session.predict();
  }
  if (command == "sweep") session.plan_from_input();
  if (command == "run" || command == "sweep") {
    session.verify();
    session.sweep();
  }
  session.finish();
}

}  // namespace

void execute(Options const& options, Runtime const& runtime) {
  catch_signals();
  Config config;
  Workload workload;
  runtime.together([&] {
    config = read_config(options.input);
    workload = make_workload(config);
    initialize_benchmark(options.benchmark);
    check_chunks(options, static_cast<double>(workload.bytes()) / model::bytes_per_mib);
    if (runtime.root()) check_files(options, config, workload);
  });
  agree_on_input(runtime, config);
  Session session(options, make_workbench(config, std::move(workload), runtime));
  run_steps(session, options.command, !options.chunks_mib.empty());
}

}  // namespace ddproxy
