// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <functional>

#include "miniapp/check.hpp"
#include "miniapp/session.hpp"
#include "miniapp/signals.hpp"
#include "miniapp/sweep.hpp"

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
    session.trace();
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
  });
  agree_on_input(runtime, config);
  Session session(options, make_workbench(config, std::move(workload), runtime));
  run_steps(session, options.command, !options.chunks_mib.empty());
}

}  // namespace ddproxy
