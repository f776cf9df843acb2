// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_context.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/step/step_backward.hpp"
#include "model/step/check/check.hpp"

namespace ddproxy {
namespace {

void refuse_what_steps_lack(Config const& config) {
  const auto refuse = [&](std::string const& why) {
    throw std::invalid_argument(config.file.string() + ": " + why);
  };
  if (config.compute == ComputeMode::replay)
    refuse(
        "[compute] mode = \"replay\": whole steps cannot be replayed yet; use mode = \"kernels\" with the "
        "command step");
  if (config.backend == Backend::replay)
    refuse(
        "[allreduce] backend = \"replay\": the command step needs real all-reduces; use \"mpi\" or \"nccl\"");
}

model::RankGraphs checked_graphs(Config const& config, Workload const& workload, int ranks) {
  auto graphs = whole_step_of(config, step_to_run(config, workload), static_cast<std::size_t>(ranks));
  if (const auto violations = model::check(graphs); !violations.empty())
    throw std::logic_error("the graph of the step is wrong: " + violations.front().what);
  return graphs;
}

// The reduced gradients come first, because the collectives of a calibration begin at element 0.
model::BufferKind reduced_kind(Config const& config) {
  return config.copies == model::CopyMode::none ? model::BufferKind::gradient : model::BufferKind::bucket;
}

double need_of(Config const& config, Workload const& workload, std::size_t elements, int ranks) {
  const int concurrency = kernels::Space().concurrency();
  return on_device ? step_device_need(config, elements, workload.bytes(), concurrency)
                   : step_host_need(config, elements, workload.bytes(), concurrency, ranks);
}

void require_room(Config const& config, Workload const& workload, std::size_t elements,
                  Runtime const& runtime, double device_free) {
  const double need = need_of(config, workload, elements, runtime.ranks());
  if (on_device)
    require_device_memory(runtime, need, device_free);
  else
    require_memory(runtime, need, runtime.root() ? results_memory(config, workload, runtime.ranks()) : 0);
}

StepInput input_of(Config const& config, int rank) {
  auto const& s = config.step;
  return {config.shape,
          config.tokens,
          draw_tokens(config.shape, config.tokens, s.accumulation,
                      step_seed + 1 + static_cast<std::uint32_t>(rank)),
          {s.lr, s.beta1, s.beta2, s.eps, s.weight_decay},
          s.clip};
}

// Allocates the memory of the step, filled with zeros by the threads that compute.
void allocate(RankContext& context, StepPlaces const& places) {
  const auto elements = static_cast<std::size_t>(context.workload.bytes()) / sizeof(float);
  context.memory = kernels::Floats("buffers of the step", places.elements);
  context.arena = Kokkos::subview(context.memory, std::pair<std::size_t, std::size_t>{0, elements});
  context.gradients = context.arena;
}

}  // namespace

StepContext make_step_context(Config const& config, Workload workload, Runtime const& runtime) {
  runtime.together([&] { refuse_what_steps_lack(config); });
  check_input_on(config, runtime, Measured::steps);
  model::RankGraphs graphs;
  StepPlaces places;
  runtime.together([&] {
    graphs = checked_graphs(config, workload, runtime.ranks());
    places = place_buffers(graphs.classes.front().graph, reduced_kind(config));
  });
  const double device_free = free_device_memory();
  require_room(config, workload, places.elements, runtime, device_free);
  StepContext context{
      std::move(graphs),
      step_cap_mib(config),
      std::move(places),
      {},
      {},
      RankContext{config, runtime, std::move(workload), {}, {}, {}, {}, {}, {}, {}, device_free}};
  RankContext& rank = context.rank;
  allocate(rank, context.places);
  auto const& graph = context.graphs.classes.front().graph;  // all ranks have the same graph
  context.step = std::make_unique<CompiledStep>(graph, context.places.first,
                                                std::vector{GroupPlace{runtime.rank(), runtime.ranks()}});
  context.lane =
      std::make_unique<StepLane>(input_of(config, runtime.rank()), graph, context.places, rank.memory);
  rank.backward = std::make_unique<StepBackward>(*context.lane, *context.step);
  rank.allreduce = rank.make_allreduce(rank.choice);
  return context;
}

double step_memory_need(StepContext const& context) {
  return need_of(context.rank.config, context.rank.workload, context.places.elements,
                 context.rank.runtime.ranks());
}

}  // namespace ddproxy
