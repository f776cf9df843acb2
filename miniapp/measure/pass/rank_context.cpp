// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/rank_context.hpp"

#include <cstdlib>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/copying_backward.hpp"
#include "miniapp/compute/host_replay.hpp"
#include "miniapp/compute/kernel_backward.hpp"
#include "miniapp/compute/stream_replay.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/pass/product_precision.hpp"

namespace ddproxy {
namespace {

constexpr std::uint32_t seed = 774030080;

kernels::Floats make_arena(RankContext const& context) {
  return kernels::Floats(Kokkos::view_alloc(Kokkos::WithoutInitializing, "gradients"),
                         static_cast<std::size_t>(context.workload.bytes()) / sizeof(float));
}

// Beside real all-reduces of device memory the time is spent there; a twin needs no device.
std::unique_ptr<Backward> make_replay(RankContext const& context, std::vector<double> const& seconds,
                                      double back_seconds = -1) {
  if (on_device && context.reduces()) return std::make_unique<StreamReplay>(seconds, back_seconds);
  return std::make_unique<HostReplay>(seconds, back_seconds);
}

std::unique_ptr<Backward> make_backward(RankContext const& context) {
  auto const& config = context.config;
  if (config.compute == ComputeMode::replay) return make_replay(context, context.workload.operation_seconds);
  return std::make_unique<KernelBackward>(config.shape, context.workload.pass, config.tokens, seed,
                                          context.runtime.rank(), context.gradients);
}

// A replayed operation that completes gradients takes the time of their copies too.
std::unique_ptr<Backward> replay_with_copies(RankContext const& context, bool back) {
  auto seconds = context.workload.operation_seconds;
  const double element_seconds = gradient_element_bytes / context.copies.bandwidth;
  for (auto const& gradient : context.workload.pass.gradients)
    seconds[gradient.operation] += static_cast<double>(gradient.numel) * element_seconds;
  return make_replay(context, seconds, back ? element_seconds : -1);
}

std::unique_ptr<Backward> make_copying(RankContext const& context) {
  const bool back = context.config.copies == model::CopyMode::in_out;
  if (context.config.copies == model::CopyMode::none) return nullptr;
  if (context.config.compute == ComputeMode::replay) return replay_with_copies(context, back);
  return std::make_unique<CopyingBackward>(*context.backward, context.workload.pass, context.gradients,
                                           context.arena, back);
}

void refuse_replay_of_many(Config const& config, Runtime const& runtime) {
  if (config.backend == Backend::replay && runtime.ranks() > 1 && config.gate.allreduce_kib.empty())
    throw CollectiveError(
        exit_usage, config.file.string() +
                        ": [allreduce] backend = \"replay\" moves nothing between ranks: start one rank "
                        "(allreduce.ranks says what it stands for)");
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
        "NCCL takes one rank a device: use [allreduce] backend = \"mpi\" where ranks share one (NCCL 2.30 "
        "and later: NCCL_MULTI_RANK_GPU_ENABLE=1)");
}

// Rank 0 holds the results file, too.
void require_host_memory(Config const& config, Workload const& workload, Runtime const& runtime) {
  const double all = host_memory_need(config, workload, kernels::Space().concurrency(), runtime.ranks());
  const double of_file = results_memory(config, workload, runtime.ranks());
  require_memory(runtime, all - of_file, runtime.root() ? of_file : 0);
}

void require_room(Config const& config, Workload const& workload, Runtime const& runtime,
                  double device_free) {
  const int concurrency = kernels::Space().concurrency();
  if (on_device && compares_precision(config)) require_memory(runtime, precision_memory(workload));
  if (on_device && needs_arena(config))
    require_device_memory(runtime, device_memory_need(config, workload, concurrency), device_free);
  else
    require_host_memory(config, workload, runtime);
}

}  // namespace

RankContext make_rank_context(Config const& config, Workload workload, Runtime const& runtime) {
  refuse_replay_of_many(config, runtime);
  runtime.together([&] {
    check_can_run(config);
    check_backend(config);
    refuse_nccl_on_shared_device(config, runtime);
    if (config.compute == ComputeMode::replay) return;
    check_kernels(config);
    refuse_override(config);
    set_precision(config);
  });
  const double device_free = free_device_memory();
  require_room(config, workload, runtime, device_free);
  RankContext context{config, runtime, std::move(workload), {}, {}, {}, {}, {}, {}, {}, device_free};
  if (needs_arena(config)) context.arena = context.gradients = make_arena(context);
  context.copies = {config.copies, config.machine.bandwidth / 2, 0};  // each byte is read and written
  if (config.copies != model::CopyMode::none && config.compute == ComputeMode::kernels)
    context.gradients = make_arena(context);
  context.backward = make_backward(context);
  context.copying = make_copying(context);
  context.allreduce = make_allreduce(config, context.choice, runtime.communicator(), context.arena);
  return context;
}

}  // namespace ddproxy
