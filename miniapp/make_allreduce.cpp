// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/make_allreduce.hpp"

#include "miniapp/allreduce_mpi.hpp"
#include "miniapp/allreduce_polled.hpp"
#include "miniapp/allreduce_replay.hpp"
#include "miniapp/allreduce_threaded.hpp"
#include "model/bucket_plan.hpp"
#include "planner/workload.hpp"

namespace ddproxy {
namespace {

std::unique_ptr<AllreduceEngine> make_engine(Config const& config, MPI_Comm communicator, float* arena) {
  if (config.backend == Backend::replay)
    return std::make_unique<ReplayEngine>(of_gradients(input_cost(config).value(), config.wire));
  const auto piece = static_cast<std::size_t>(config.piece_mib * model::bytes_per_mib) / sizeof(float);
  return std::make_unique<MpiEngine>(communicator, arena, piece, config.timeout_s, config.wire);
}

}  // namespace

std::unique_ptr<Allreduce> make_allreduce(Config const& config, MPI_Comm communicator, float* arena) {
  auto engine = make_engine(config, communicator, arena);
  if (config.progress == Progress::thread) return std::make_unique<ThreadedAllreduce>(std::move(engine));
  return std::make_unique<PolledAllreduce>(std::move(engine), config.progress == Progress::poll);
}

}  // namespace ddproxy
