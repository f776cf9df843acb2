// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/choose_mpi_calls.hpp"

#include <fmt/format.h>

#include "miniapp/cores/node_cores.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/measure/calibration/compare_mpi_calls.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

const std::string automatic = "Chosen automatically: ";
constexpr double rounding = 1e-6;  // rounding error of a sum of shares of cores

// Returns the number of host threads that are busy while a pass computes.
int busy_threads(RankContext const& context) {
  const bool on_host = !on_device && context.config.compute == ComputeMode::kernels;
  return on_host ? context.runtime.threads().threads : 1;
}

// The cores of the ranks. If several ranks share a core, each of them counts a fraction of it.
struct Cores {
  double mine = 0;                    // cores of this rank
  int busy = 1;                       // busy_threads() of this rank
  double least = 0, least_spare = 0;  // minima of `mine` and of `mine` - `busy` over the ranks
  bool own() const { return mine - busy >= 1 - rounding; }
  bool own_everywhere() const { return least_spare >= 1 - rounding; }
  bool oversubscribed() const { return least < 1 - rounding; }
};

Cores count_cores(RankContext const& context) {
  Cores cores{0, busy_threads(context)};
  {
    const auto limit = context.runtime.limited("MPI_Allreduce");
    cores.mine = core_share(context.runtime.communicator());
  }
  cores.least = -context.runtime.maximum(-cores.mine);
  cores.least_spare = -context.runtime.maximum(cores.busy - cores.mine);
  return cores;
}

std::string too_few_cores(Cores const& cores) {
  return fmt::format(
      "the compute threads of a rank leave {:.3g} cores free, but a communication thread in a blocking call "
      "needs a whole core, because it spins",
      cores.least_spare > 0 ? cores.least_spare : 0.0);
}

MpiCallChoice choose_automatically(RankContext& context, Cores const& cores, std::size_t lanes) {
  if (context.config.progress != Progress::thread)
    return {MpiCallTable(false), false, "The compute thread drives the all-reduces"};
  if (context.runtime.ranks() == 1)
    return {MpiCallTable(false), cores.own(),
            "A run with a single rank reduces nothing, so the choice has no effect"};
  if (lanes > 1)
    return {MpiCallTable(false), cores.own(),
            automatic +
                "one thread drives all communication lanes of the step, and in a blocking call it could "
                "not serve the other lanes"};
  if (cores.oversubscribed())
    return {MpiCallTable(false), false,
            automatic + "ranks share cores, and a rank that waits in a nonblocking call yields its core"};
  if (!context.reduces() && cores.own_everywhere())
    return {MpiCallTable(true), true, automatic + "each rank has a core for its communication thread"};
  if (!context.reduces()) return {MpiCallTable(false), cores.own(), automatic + too_few_cores(cores)};
  return compare_mpi_calls(context, cores.own());
}

MpiCallChoice choose(RankContext& context, std::size_t lanes) {
  const Cores cores = count_cores(context);
  if (context.config.mpi_call == MpiCallKind::automatic) return choose_automatically(context, cores, lanes);
  const bool blocking = context.config.mpi_call == MpiCallKind::blocking;
  if (blocking && !cores.own_everywhere() && context.runtime.root())
    results::say_error(fmt::format(
        "warning: [allreduce] call = \"blocking\": {}. So overlapped all-reduces are slow; leave one "
        "core of each rank free, or use call = \"auto\"",
        too_few_cores(cores)));
  return {MpiCallTable(blocking), cores.own(), "The input says so"};
}

}  // namespace

void choose_mpi_calls(RankContext& context, std::size_t lanes) {
  auto const& config = context.config;
  const bool parts = !config.gate.allreduce_kib.empty() && context.runtime.ranks() > 1;
  if (config.backend == Backend::nccl || (!context.reduces() && !parts)) return;
  note_step("choosing the MPI calls of the all-reduces");
  context.choice = choose(context, lanes);
  if (context.reduces()) context.allreduce = context.make_allreduce(context.choice);
}

std::string describe(MpiCallChoice const& choice) {
  if (choice.reason.empty()) return "";
  return fmt::format("all-reduce call: {}. {}\n", choice.mpi_calls.description(), choice.reason);
}

}  // namespace ddproxy
