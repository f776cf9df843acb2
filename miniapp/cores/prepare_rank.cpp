// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/prepare_rank.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/cores/cpu_quota.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/cores/restart.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/toml/read_config.hpp"

namespace ddproxy {
namespace {

#ifdef OPEN_MPI
constexpr bool is_open_mpi = true;
#else
constexpr bool is_open_mpi = false;
#endif

char const* variable(char const* name) {
  return std::getenv(name);
}

// Reads the input file before MPI starts. If the file is wrong, returns the defaults. The error is reported
// later, when all ranks can report it together.
Config read_early(std::filesystem::path const& input) try {
  return read_config(input);
} catch (std::invalid_argument const&) {
  return {};
}

// Returns the number of cores that the launcher may use. All ranks of the node together are assumed to have
// these cores.
int cores_of_launcher() {
  const auto parent = getppid();  // 0 if the launcher is outside this container
  const auto cores = parent > 0 ? allowed_cores(parent) : std::vector<int>{};
  return cores.empty() ? static_cast<int>(std::thread::hardware_concurrency())
                       : static_cast<int>(cores.size());
}

int likely_own_cores(bool pinned) {
  const int allowed = std::max(static_cast<int>(allowed_cores().size()), 1);
  const int ranks = find_local_rank(variable).ranks;
  const int of_launcher = pinned ? ranks * allowed : cores_of_launcher();
  return estimate_own_cores(allowed, of_launcher, ranks, whole_cores(cpu_quota()));
}

Settings choose(ThreadWish const& wish, Config const& config, bool pinned) {
  const int own = likely_own_cores(pinned);
  const int threads = wish.threads > 0 ? wish.threads : threads_for(own);
  const bool multiplies = config.compute == ComputeMode::kernels;
  return choose_settings({threads, own, find_local_rank(variable).launched, is_open_mpi,
                          multiplies ? kernels::gemm_core_type() : ""},
                         variable);
}

// Returns whether the user, or the user's job script, has chosen the cores of a rank.
bool chose_cores(Options const& options) {
  return !options.turns.compute_cores.empty() ||
         std::ranges::any_of(
             std::array{"SLURM_CPUS_PER_TASK", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"},
             [](char const* name) { return variable(name) != nullptr; });
}

// Returns ThreadWish::launcher_cores: 0 if idle cores do not matter, or if the user has chosen threads or
// cores.
int cores_to_use(Options const& options, Config const& config, ThreadWish const& wish) {
  const bool computes = config.compute == ComputeMode::kernels && options.command != "allreduce" &&
                        options.command != "collectives";
  const bool chosen = wish.threads > 0 || chose_cores(options);
  return computes && !chosen && find_local_rank(variable).launched ? cores_of_launcher() : 0;
}

}  // namespace

int mpi_threads_for(Options const& options) {
  if (options.command != "step") return MPI_THREAD_SERIALIZED;
  return needs_threads(read_early(options.input)) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
}

ThreadWish prepare_rank(Options const& options, char** argv) {
  cpu_set_t at_start;
  CPU_ZERO(&at_start);
  sched_getaffinity(0, sizeof at_start, &at_start);
  pin_rank(options.turns.compute_cores, options.turns.communication_cores);
  if constexpr (on_device) return {};
  const auto config = read_early(options.input);
  const auto started_with = settings_of_second_start().value_or(Settings{});
  auto wish = find_wish(options.threads, config.threads, variable,
                        [&](char const* name) { return started_with.contains(name); });
  wish.launcher_cores = cores_to_use(options, config, wish);
  const auto settings = choose(wish, config, !options.turns.compute_cores.empty());
  // After the second start, the program pins itself again. So it needs all cores that this process had at its
  // start, not only those to which pin_rank() has restricted it.
  cpu_set_t pinned = at_start;
  sched_getaffinity(0, sizeof pinned, &pinned);
  sched_setaffinity(0, sizeof at_start, &at_start);
  start_again_with(settings, argv);
  sched_setaffinity(0, sizeof pinned, &pinned);
  return wish;
}

}  // namespace ddproxy
