// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/make_lanes.hpp"

#include <mpi.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

using Lanes = std::vector<std::unique_ptr<CommunicationLane>>;

bool blocks(std::unique_ptr<CollectiveEngine> const& engine) {
  return engine->unwatched_limit_s() > 0;
}

std::unique_ptr<CommunicationLane> make_lane(std::unique_ptr<CollectiveEngine> engine, JointPolling polling,
                                             bool several, int rank) {
  if (!polling.thread) return std::make_unique<PolledLane>(std::move(engine), true);
  const auto shared = several ? ThreadPlace::beside_threads : ThreadPlace::shared_core;
  return std::make_unique<ThreadedLane>(std::move(engine), polling.own_core ? ThreadPlace::own_core : shared,
                                        rank);
}

}  // namespace

void require_threads(int provided, std::string const& where) {
  if (provided < MPI_THREAD_MULTIPLE)
    throw std::invalid_argument(where +
                                "several lanes with [allreduce] call = \"blocking\" need "
                                "MPI_THREAD_MULTIPLE, which this MPI does not provide; set call = "
                                "\"nonblocking\"");
}

int provided_threads() {
  int provided = 0;
  check_mpi(MPI_Query_thread(&provided));
  return provided;
}

Lanes make_lanes(std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling, int rank) {
  const bool several = engines.size() > 1;
  if (several && std::ranges::none_of(engines, blocks)) return make_joint_lanes(std::move(engines), polling);
  if (several && !polling.thread)
    throw std::invalid_argument(
        "several communication lanes with blocking calls need a thread each; use [allreduce] progress = "
        "\"thread\" or nonblocking calls");
  if (several) require_threads(provided_threads());
  Lanes lanes;
  for (auto& engine : engines) lanes.push_back(make_lane(std::move(engine), polling, several, rank));
  return lanes;
}

}  // namespace ddproxy
