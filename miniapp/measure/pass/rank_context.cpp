// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/rank_context.hpp"

#include <algorithm>
#include <cstdlib>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/kernel_backward.hpp"
#include "miniapp/compute/replay/host_replay.hpp"
#include "miniapp/compute/replay/stream_replay.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/pass/product_precision.hpp"

namespace ddproxy {
namespace {

constexpr std::uint32_t seed = 774030080;

// Allocates the memory of the step.
void allocate(RankContext& context) {
  const std::size_t elements = context.workload.pass.gradients.elements();
  context.owner = SharedFloats(std::string(name_of(BufferUse::gradients)),
                               context.buffers.elements(BufferUse::gradients));
  context.memory = context.owner.elements();
  context.arena = context.memory.first(elements);
  context.gradients = context.memory.last(elements);
}

// If real all-reduces of device memory run at the same time, the replay occupies a stream of the device.
// Otherwise the replay runs on the host.
std::unique_ptr<ComputeLane> make_replay(RankContext const& context) {
  auto const& seconds = context.workload.operation_seconds;
  const double of_copy = context.element_copy_seconds();
  if (on_device && context.reduces())
    return std::make_unique<StreamReplay>(seconds, of_copy, most_launches(context.workload.pass));
  return std::make_unique<HostReplay>(seconds, of_copy);
}

std::unique_ptr<ComputeLane> make_compute_lane(RankContext const& context) {
  auto const& config = context.config;
  if (config.compute == ComputeMode::replay) return make_replay(context);
  return std::make_unique<KernelBackward>(config.shape, context.workload.pass, config.tokens, seed,
                                          context.runtime.rank(), kernels::view_of(context.gradients),
                                          kernels::view_of(context.memory));
}

// Several ranks may run a sweep with replayed all-reduces only if [gate] also asks for real all-reduces.
void refuse_replay_of_many(Config const& config, Runtime const& runtime, Measured what) {
  const bool may_be_many = what == Measured::backward && !config.gate.allreduce_kib.empty();
  if (config.backend == Backend::replay && runtime.ranks() > 1 && !may_be_many)
    throw CollectiveError(exit_usage,
                          config.file.string() +
                              ": [allreduce] backend = \"replay\" moves no data between ranks; start one "
                              "rank, and set [allreduce] ranks to the number of ranks to simulate");
}

void check_kernels(Config const& config) try {
  check_kernels_have(config.shape, config.tokens);
} catch (std::invalid_argument const& error) {
  throw std::invalid_argument(config.file.string() + ": [model] " + error.what());
}

void set_precision(Config const& config) try {
  set_product_precision(config.precision);
} catch (std::invalid_argument const& error) {
  throw std::invalid_argument(config.file.string() + ": [compute] " + error.what());
}

void refuse_override(Config const& config) {
  if (!on_device || config.precision == Precision::bf16) return;
  const auto complaint =
      complain_of_override(config.precision == Precision::tf32, std::getenv("NVIDIA_TF32_OVERRIDE"));
  if (!complaint.empty()) throw std::invalid_argument(complaint);
}

void refuse_nccl_on_shared_device(Config const& config, Runtime const& runtime) {
  if (config.backend == Backend::nccl && runtime.ranks_on_device() > 1 &&
      !std::getenv("NCCL_MULTI_RANK_GPU_ENABLE"))
    throw std::runtime_error(
        "NCCL allows one rank on each device; start fewer ranks, or use [allreduce] backend = \"mpi\" (NCCL "
        "2.30 and later: or set NCCL_MULTI_RANK_GPU_ENABLE=1)");
}

void require_room(Config const& config, RankBuffers const& buffers, Runtime const& runtime,
                  double device_free, double file_need) {
  const MemoryNeed need = memory_need(config, buffers);
  require_memory(runtime, need.host, runtime.root() ? file_need : 0);
  if (need.device) require_device_memory(runtime, *need.device, device_free);
}

// Carries out an all-reduce of at most 2^20 elements, because NCCL allocates much of its memory in the first
// all-reduce.
void take_first(CommunicationLane& lane, std::size_t elements) {
  constexpr std::size_t few = 1 << 20;
  lane.begin(1);
  lane.start_all_reduce({0, std::min(elements, few)}, {Clock::now()});
  lane.wait_all();
}

}  // namespace

double RankContext::element_copy_seconds() const {
  return copies.mode == model::CopyMode::none ? 0 : gradient_element_bytes / copies.bandwidth;
}

std::vector<std::size_t> RankContext::places(model::StepGraph const& graph) const {
  std::vector<std::size_t> places;
  for (auto const& buffer : graph.buffers)
    places.push_back(buffer.kind == model::BufferKind::gradient ? gradients_at() : 0);
  return places;
}

CompiledStep RankContext::compile(Case const& item) const {
  auto graphs = step_of(item, workload, config.copies, static_cast<std::size_t>(ranks()));
  const auto first_elements = places(graphs.classes.front().graph);
  return {std::move(graphs.classes.front().graph), first_elements};  // all ranks have the same graph
}

CompiledStep RankContext::compile_backward() const {
  auto graphs = model::ddp(workload.pass, {}, 1);
  const auto first_elements = places(graphs.classes.front().graph);
  return {std::move(graphs.classes.front().graph), first_elements};
}

std::unique_ptr<CommunicationLane> RankContext::make_allreduce(MpiCallChoice const& with) const {
  const auto limit = runtime.limited("MPI_Comm_dup");
  return ddproxy::make_allreduce(config, with, runtime.communicator(), memory, arena.size());
}

void RankContext::start_libraries() {
  const bool by_nccl = config.backend == Backend::nccl;
  const auto connect = [&] {
    allreduce = make_allreduce(choice);
    if (by_nccl) take_first(*allreduce, arena.size());
  };
  if (!on_device || runtime.ranks_on_device() > 1) return connect();
  libraries.context = device_memory() - device_free;
  if (config.compute == ComputeMode::kernels) libraries.blas = take_blas_memory();
  const double taken = device_memory_taken(connect);
  if (by_nccl) libraries.nccl = taken;
}

void check_input_on(Config const& config, Runtime const& runtime, Measured what) {
  refuse_replay_of_many(config, runtime, what);
  runtime.together([&] {
    check_can_run(config);
    check_backend(config);
    refuse_nccl_on_shared_device(config, runtime);
    if (config.compute == ComputeMode::replay) return;
    if (what == Measured::backward) check_kernels(config);
    refuse_override(config);
    set_precision(config);
  });
}

RankContext make_rank_context(Config const& config, Workload workload, Runtime const& runtime,
                              double file_need, std::size_t scattered) {
  check_input_on(config, runtime, Measured::backward);
  const double device_free = free_device_memory();
  auto buffers = pass_buffers(config, workload, kernels::Space().concurrency(), runtime.ranks(), scattered,
                              memory_of_arrays(config));
  require_room(config, buffers, runtime, device_free, file_need);
  RankContext context{.config = config,
                      .runtime = runtime,
                      .workload = std::move(workload),
                      .buffers = std::move(buffers),
                      .copies = copies_of(config),
                      .device_free = device_free,
                      .file_need = file_need};
  if (needs_arena(config)) allocate(context);
  context.start_libraries();  // measures the first product, so the compute lane must not exist yet
  context.backward = make_compute_lane(context);
  return context;
}

}  // namespace ddproxy
