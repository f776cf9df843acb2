// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "miniapp/app/session.hpp"
#include "miniapp/cores/prepare_rank.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/signals.hpp"
#include "miniapp/input/options/parse_options.hpp"
#include "miniapp/machine/build_info.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/predict/login_node.hpp"
#include "results/output/standard_streams.hpp"

namespace {

using namespace ddproxy;

// Returns whether this process is the first rank, as the launcher's environment variables tell. The program
// uses this result if MPI does not run, so that only one rank prints a message. Returns true without a
// launcher.
bool launched_first() {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (char const* value = std::getenv(name)) return std::string(value) == "0";
  return true;
}

// Waits a moment if another rank prints the error. The launcher ends all ranks when one of them ends with an
// error, and the first rank may not have printed its line yet.
void let_first_rank_speak() {
  if (!launched_first()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

// Prints an error and returns its exit code. `runtime` is null if MPI does not run. `everywhere` says whether
// all ranks have this error. If only this rank has it, aborts all ranks, because the others would wait for
// this rank for ever.
int fail(Runtime const* runtime, CollectiveError const& error, bool everywhere) {
  end_signal_notice();
  const bool many = runtime && runtime->ranks() > 1;
  const bool speaks = many ? (runtime->root() || !everywhere) : launched_first();
  const bool named = error.message.starts_with("rank ");
  if (speaks)
    results::say_error(fmt::format(
        "ddproxy: {}{}", many && !everywhere && !named ? fmt::format("rank {}: ", runtime->rank()) : "",
        error.message));
  if (many && !everywhere) MPI_Abort(runtime->communicator(), error.code);
  if (!many) let_first_rank_speak();
  return error.code;
}

int run(Options const& options, int argc, char** argv) {
  const auto wish = prepare_rank(options, argv);
  const Runtime runtime(argc, argv,
                        {.share_device = options.share_device,
                         .strict = options.strict,
                         .wish = wish,
                         .mpi_threads = mpi_threads_for(options)});
  try {
    execute(options, runtime);
    return exit_fine;
  } catch (CollectiveError const& error) {
    return fail(&runtime, error, true);
  } catch (...) {
    return fail(&runtime, describe_current_exception(), false);
  }
}

int start(int argc, char** argv) {
  int exit_code = exit_fine;
  const auto options = parse_options(argc, argv, version, launched_first(), exit_code);
  if (!options && exit_code != exit_fine) let_first_rank_speak();
  if (!options) return exit_code;
  if (works_on_login_node(*options)) return launched_first() ? run_on_login_node(*options) : exit_fine;
  return run(*options, argc, argv);
}

}  // namespace

int main(int argc, char** argv) try {
  results::prepare_standard_streams();
  const int exit_code = start(argc, argv);
  if (exit_code == exit_fine) results::flush_standard_output();
  return exit_code;
} catch (...) {
  return fail(nullptr, describe_current_exception(), true);
}
