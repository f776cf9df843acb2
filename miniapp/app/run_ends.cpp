// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/run_ends.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/signals.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

namespace {

// Checks that all ranks have read the same text from a file. `text` is this text, or a hash of it.
void agree_on_text(Runtime const& runtime, std::string const& file, std::string const& text) {
  const auto mine = static_cast<std::int64_t>(std::hash<std::string>{}(text));
  std::vector<std::int64_t> first{mine};
  runtime.broadcast(first);
  runtime.together([&] {
    if (first[0] != mine)
      throw std::invalid_argument(
          fmt::format("{}: this file differs between rank 0 and rank {}; give all nodes the same file", file,
                      runtime.rank()));
  });
}

}  // namespace

void agree_on_input(Runtime const& runtime, Config const& config) {
  agree_on_text(runtime, config.file.string(), config.text);
  for (auto const& table : config.tables) agree_on_text(runtime, table.file, table.hash);
}

void stop_on_signals(Runtime const& runtime, std::filesystem::path const& output) {
  catch_signals(runtime.root()
                    ? fmt::format("ddproxy: a signal arrived; the run stops after the present measurement "
                                  "and saves its samples in {}.part",
                                  output.string())
                    : std::string());
}

std::string interruption_text(std::filesystem::path const& output, Saved const& saved) {
  const std::string part = output.string() + ".part";
  if (saved.rounds > 0)
    return fmt::format(
        "interrupted by a signal; what was measured is saved in {}. {} complete. To continue, "
        "repeat the command with --resume {}",
        part,
        saved.rounds == 1 ? "1 round of the sweep is"
                          : fmt::format("{} rounds of the sweep are", saved.rounds),
        part);
  if (saved.is_nothing)
    return fmt::format(
        "interrupted by a signal before the first measurements were complete, so no times are saved; {} "
        "has only a description of the run. Start the run again",
        part);
  return fmt::format(
      "interrupted by a signal before a round of the sweep was complete; what was measured is saved in {}. "
      "--resume needs a complete round, so start the run again",
      part);
}

void leave_stuck_call(Runtime const& runtime, std::function<void()> const& close, std::string const& error) {
  results::say_error(fmt::format("ddproxy: {}", error));
  close();
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(runtime.root() ? 1500 : 5000));
  std::_Exit(exit_run_time);
}

void leave_lost_device(Runtime const& runtime, std::function<void()> const& close) {
  close();
  const auto error = describe_current_exception();
  results::say_error(
      fmt::format("ddproxy: rank {}: {}; the device is lost, so check it and start the run again",
                  runtime.rank(), error.message));
  if (runtime.ranks() > 1) MPI_Abort(runtime.communicator(), exit_run_time);
  std::_Exit(exit_run_time);
}

CallLimit::CallLimit(Runtime const& runtime, double timeout_s, std::function<void()> const& close)
    : runtime_(runtime) {
  runtime.limit_calls(timeout_s, [&](std::string const& error) { leave_stuck_call(runtime, close, error); });
}

CallLimit::~CallLimit() {
  runtime_.limit_calls();
}

}  // namespace ddproxy
