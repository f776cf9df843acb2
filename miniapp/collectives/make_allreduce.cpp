// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/make_allreduce.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // MPIX_Query_cuda_support
#endif

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/workload.hpp"
#include "model/cost/collective_tables.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"
#ifdef DDPROXY_NCCL
#include "miniapp/collectives/engines/nccl_lane.hpp"
#endif

namespace ddproxy {
namespace {

#ifdef DDPROXY_DEVICE_BUILD
// Returns whether nonblocking reductions of this MPI accept device memory, as MPI itself reports it. Returns
// nothing if this MPI has no function that reports it. Returns false for Open MPI without asking it, because
// the answer of Open MPI is about other calls. Its nonblocking reductions add on the host (open-mpi/ompi
// issues 9845 and 12045).
std::optional<bool> mpi_takes_device_memory() {
#if defined(OPEN_MPI)
  return false;
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH and its derivatives
#ifdef KOKKOS_ENABLE_HIP
  constexpr int device = MPIX_GPU_SUPPORT_HIP;
#else
  constexpr int device = MPIX_GPU_SUPPORT_CUDA;
#endif
  int takes = 0;
  check_mpi(MPIX_GPU_query_support(device, &takes));
  return takes != 0;
#elif defined(MPIX_CUDA_AWARE_SUPPORT) && !defined(KOKKOS_ENABLE_HIP)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_ROCM_AWARE_SUPPORT) && defined(KOKKOS_ENABLE_HIP)
  return MPIX_Query_rocm_support() == 1;
#else
  return {};
#endif
}

// Returns whether MPI reduces device memory directly. This is impossible in two cases: with wire "bf16",
// because the host packs the messages; and if the step adds reduced gradients to its shards
// (adds_to_shards()), because MPI cannot add to device memory. In the other cases [allreduce] buffers
// decides: "direct", "staged", or "auto", which stands for the answer of mpi_takes_device_memory() (false if
// there is no answer). Throws std::invalid_argument if the input asks for direct buffers that are impossible,
// or that this MPI does not accept.
bool reduce_directly(Config const& config) {
  if (config.buffers == Buffers::direct && config.wire != WireFormat::fp32)
    throw std::invalid_argument(config.file.string() +
                                ": [allreduce] buffers = \"direct\" needs wire = \"fp32\"; use \"staged\"");
  if (config.buffers == Buffers::direct && adds_to_shards(config))
    throw std::invalid_argument(config.file.string() +
                                ": [allreduce] buffers = \"direct\": this sharded step adds the reduced "
                                "gradients of each micro-batch to its part of the gradients, and MPI cannot "
                                "add to device memory; use \"staged\"");
  if (config.buffers == Buffers::staged || adds_to_shards(config)) return false;
  const auto takes = mpi_takes_device_memory();
  if (config.buffers == Buffers::direct && !takes.value_or(true))
    throw std::invalid_argument(config.file.string() +
                                ": [allreduce] buffers = \"direct\": nonblocking reductions of this MPI do "
                                "not accept device memory; use \"staged\"");
  return config.buffers == Buffers::direct || (config.wire == WireFormat::fp32 && takes.value_or(false));
}

std::unique_ptr<CollectiveEngine> make_mpi_engine(Config const& config, MpiCallTable const& mpi_calls,
                                                  MPI_Comm communicator, float* arena) {
  if (reduce_directly(config))
    return std::make_unique<MpiEngine>(communicator, arena, piece_elements(config), config.timeout_s,
                                       WireFormat::fp32, mpi_calls, scale_device_memory);
  GroupPlace place;
  check_mpi(MPI_Comm_rank(communicator, &place.rank));
  check_mpi(MPI_Comm_size(communicator, &place.ranks));
  const auto buffers = buffers_of_staged_mpi(config.wire, piece_elements(config), place.ranks);
  const std::size_t slot = slot_elements(piece_elements(config), place.ranks);
  auto staging = make_pinned_staging(arena, buffers.pinned);
  auto inner = std::make_unique<MpiEngine>(communicator, staging->memory(), slot, config.timeout_s,
                                           config.wire, mpi_calls);
  return std::make_unique<StagedEngine>(std::move(staging), std::move(inner), slot, place, config.timeout_s);
}
#else
std::unique_ptr<CollectiveEngine> make_mpi_engine(Config const& config, MpiCallTable const& mpi_calls,
                                                  MPI_Comm communicator, float* arena) {
  return std::make_unique<MpiEngine>(communicator, arena, piece_elements(config), config.timeout_s,
                                     config.wire, mpi_calls);
}
#endif

// Returns a function that gives the seconds of a replayed collective of a group, from its verb and from the
// bytes of gradients. An all-reduce over all ranks takes the input's a(x). The times of other collectives
// come from rows of the input's table: from their own rows, or from rows that are used in their place
// (model/cost/collective_tables.hpp).
CollectiveCost replayed_cost(Config const& config, model::RankGroup group) {
  const auto a = of_gradients(input_cost(config).value(), config.wire);
  const auto tables = model::read_collectives(config.table, config.ranks);
  const bool all = group.ranks == config.ranks;
  return [a, tables, all, group, wire = config.wire](model::Verb verb, std::int64_t bytes) {
    if (verb == model::Verb::all_reduce && all) return a(bytes);
    if (const auto source = tables.source(verb, group)) return (*source)(wire_bytes(bytes, wire));
    throw std::invalid_argument(
        fmt::format("{0} cannot be replayed: the input's table has no row of {0} for {1}; add one",
                    model::name_of(verb), model::group_text(group)));
  };
}

// Returns the engine of a lane over a group of ranks. A replay uses `link` and not the communicator.
std::unique_ptr<CollectiveEngine> make_engine(Config const& config, MpiCallTable const& mpi_calls,
                                              MPI_Comm communicator, model::RankGroup group, float* arena,
                                              std::shared_ptr<ReplayLink> const& link) {
  if (config.backend == Backend::replay)
    return std::make_unique<ReplayEngine>(replayed_cost(config, group),
                                          gradient_element_bytes / wire_element_bytes(config.wire), link);
  return make_mpi_engine(config, mpi_calls, communicator, arena);
}

bool has_own_core(Config const& config, MpiCallChoice const& choice) {
  return choice.own_core && config.backend == Backend::mpi;
}

std::unique_ptr<CommunicationLane> make_single_lane(Config const& config, MpiCallChoice const& choice,
                                                    std::unique_ptr<CollectiveEngine> engine, int rank) {
  if (config.progress == Progress::thread)
    return std::make_unique<ThreadedLane>(
        std::move(engine), has_own_core(config, choice) ? ThreadPlace::own_core : ThreadPlace::shared_core,
        rank);
  return std::make_unique<PolledLane>(std::move(engine), config.progress == Progress::poll);
}

}  // namespace

#ifdef DDPROXY_NCCL
std::string nccl_version() {
  return loaded_nccl_version();
}

void check_backend(Config const&) {}
#else
std::string nccl_version() {
  return "none";
}

void check_backend(Config const& config) {
  if (config.backend == Backend::nccl)
    throw std::invalid_argument(config.file.string() +
                                ": [allreduce] backend: this build has no NCCL; use \"mpi\" or \"replay\"; "
                                "for NCCL, build for a GPU (README.md, section CUDA)");
}

static std::unique_ptr<CommunicationLane> make_nccl_allreduce(Config const& config, MPI_Comm,
                                                              std::span<float>, MostElements) {
  check_backend(config);
  return nullptr;
}
#endif

std::unique_ptr<CommunicationLane> make_allreduce(Config const& config, MpiCallChoice const& choice,
                                                  MPI_Comm communicator, std::span<float> memory,
                                                  std::size_t most_elements) {
  if (config.backend == Backend::nccl)
    return make_nccl_allreduce(config, communicator, memory,
                               {most_elements > 0 ? most_elements : memory.size()});
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank));
  return make_single_lane(config, choice,
                          make_engine(config, choice.mpi_calls, communicator,
                                      model::neighbours(config.ranks, config.ranks_per_node), memory.data(),
                                      std::make_shared<ReplayLink>()),
                          rank);
}

std::vector<std::unique_ptr<CommunicationLane>> make_group_lanes(Config const& config,
                                                                 MpiCallChoice const& choice,
                                                                 std::span<const LaneGroup> groups,
                                                                 std::span<float> memory) {
  std::vector<std::unique_ptr<CommunicationLane>> lanes;
  if (config.backend == Backend::nccl) {
    for (auto const& group : groups)
      lanes.push_back(make_nccl_allreduce(config, group.communicator, memory, group.most));
    return lanes;
  }
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  const auto link = std::make_shared<ReplayLink>();  // all lanes of a rank share a link, as in the prediction
  for (auto const& group : groups)
    engines.push_back(make_engine(config, choice.mpi_calls, group.communicator,
                                  {group.place.ranks, group.nodes}, memory.data(), link));
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (engines.size() > 1)
    return make_lanes(std::move(engines), {config.progress == Progress::thread, has_own_core(config, choice)},
                      rank);
  lanes.push_back(make_single_lane(config, choice, std::move(engines.at(0)), rank));
  return lanes;
}

}  // namespace ddproxy
