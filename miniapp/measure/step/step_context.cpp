// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/compute/replay/step_replay.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/unit_memory.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/step/step_backward.hpp"
#include "model/cost/collective_tables.hpp"
#include "model/step/check/check.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy {
namespace {

// Checks that MPI allows several threads to call it, if the step needs this. If a step has several lanes with
// blocking MPI calls, each lane needs a thread of its own that calls MPI.
void check_threads(Config const& config) {
  if (needs_threads(config))
    require_threads(provided_threads(), config.file.string() + ": [shard] lanes, group: ");
}

// Returns the number of ranks of the step. If all-reduces are replayed, these are simulated ranks.
std::size_t ranks_of_step(Config const& config, Runtime const& runtime) {
  return static_cast<std::size_t>(config.backend != Backend::replay ? runtime.ranks() : config.ranks);
}

// Checks that each unit fits into the memory in which the buffers of the step will lie. Compares with the
// whole memory, including what other programs use now. If a unit does not fit, the input has to change; it
// would not help to end other programs. require_room() compares with the free memory.
void check_units_here(Config const& config, std::size_t ranks) {
  check_sharding(config, config.sharding, ranks);
  if (!needs_arena(config)) return;
  const UnitRoom room =
      needs_device_memory(config) ? UnitRoom{device_memory(), "this rank's device"} : room_of_host();
  check_units(config, config.sharding, ranks, room);
}

model::RankGraphs checked_graphs(Config const& config, model::Strategy const& asked, std::size_t ranks) {
  auto graphs = whole_step_of(config, asked, ranks);
  if (const auto violations = model::check(graphs); !violations.empty())
    throw std::logic_error("the graph of the step is wrong: " + violations.front().what);
  return graphs;
}

void require_room(Config const& config, RankBuffers const& buffers, Runtime const& runtime,
                  double device_free, double file_need) {
  const MemoryNeed need = memory_need(config, buffers);
  require_memory(runtime, need.host, runtime.root() ? file_need : 0);
  if (need.device) require_device_memory(runtime, *need.device, device_free);
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

// Allocates the memory of the step.
void allocate(RankContext& context, StepPlaces const& places) {
  const std::size_t elements = context.buffers.elements(BufferUse::step);
  if (elements == 0) return;
  const std::size_t gradients = context.workload.pass.gradients.elements();
  context.arena_is_free = is_sharded(context.config);
  context.owner = SharedFloats(std::string(name_of(BufferUse::step)), elements);
  context.memory = context.owner.elements();
  context.arena = context.memory.first(context.arena_is_free ? places.leading : gradients);
  context.gradients = context.arena;
}

void make_kernels(StepContext& context) {
  auto& rank = context.rank;
  auto const& graph = context.graph();
  auto lane = std::make_unique<StepLane>(input_of(rank.config, rank.runtime.rank()), graph, context.places,
                                         kernels::view_of(rank.memory), context.groups.places());
  rank.backward = std::make_unique<StepBackward>(*lane, *context.step);
  context.kernels = lane.get();
  context.lane = std::move(lane);
}

// The calibration runs single operators on `rank.backward`, so this lane gets the times of the backward pass.
void make_replay(StepContext& context) {
  auto& rank = context.rank;
  const double of_copy = rank.element_copy_seconds();
  rank.backward = std::make_unique<HostReplay>(context.phases->backward, of_copy);
  context.lane = std::make_unique<StepReplay>(*context.phases, of_copy);
}

void build_lanes(StepContext& context) {
  context.step =
      std::make_unique<CompiledStep>(context.graph(), context.places.first, context.groups.places());
  context.rank.start_libraries();  // measures the first product, so the compute lane must not exist yet
  context.make_lanes();
  if (context.phases)
    make_replay(context);
  else
    make_kernels(context);
}

// The graphs of a step, the class of this rank, and what follows from them.
struct StepPlan {
  model::Strategy asked = {};
  model::RankGraphs graphs = {};
  std::size_t rank_class = 0;
  StepPlaces places = {};
  std::optional<model::PhaseCosts> phases = {};
  model::StepGraph const& graph() const { return graphs.classes[rank_class].graph; }
};

// Throws CollectiveError on all ranks if a rank finds an error. Collective.
StepPlan plan_step(Config const& config, Workload const& workload, Runtime const& runtime) {
  const bool reduces = config.backend != Backend::replay;
  StepPlan plan;
  runtime.together([&] {
    plan.asked = step_to_run(config, workload);
    plan.graphs = checked_graphs(config, plan.asked, ranks_of_step(config, runtime));
    const std::size_t rank = reduces ? static_cast<std::size_t>(runtime.rank()) : 0;
    plan.rank_class = model::class_of_ranks(plan.graphs)[rank];
    plan.places = step_places(config, workload, plan.graph());
    if (config.compute == ComputeMode::replay)
      plan.phases = roofline_phases(config, workload.pass, config.step.clip.has_value());
  });
  return plan;
}

}  // namespace

StepContext make_step_context(Config const& config, Workload workload, Runtime const& runtime) {
  runtime.together([&] {
    check_can_step(config);
    check_threads(config);
    check_units_here(config, ranks_of_step(config, runtime));
  });
  check_input_on(config, runtime, Measured::steps);
  StepPlan plan = plan_step(config, workload, runtime);
  const double device_free = free_device_memory();
  const std::size_t elements = allocated_elements(config, workload, plan.places);
  const double file_need = step_results_memory(config, workload, plan.graph(), runtime.ranks());
  auto buffers =
      step_buffers(config, elements, step_lanes(config, workload, plan.places, plan.graphs, plan.graph()),
                   kernels::Space().concurrency(), memory_of_arrays(config));
  require_room(config, buffers, runtime, device_free, file_need);
  StepGroups groups(plan.graphs, runtime, config.backend == Backend::replay);
  StepContext context{std::move(plan.asked),
                      std::move(plan.graphs),
                      plan.rank_class,
                      step_cap_mib(config),
                      std::move(plan.places),
                      std::move(groups),
                      {},
                      {},
                      nullptr,
                      std::move(plan.phases),
                      RankContext{.config = config,
                                  .runtime = runtime,
                                  .workload = std::move(workload),
                                  .buffers = std::move(buffers),
                                  .copies = copies_of(config),
                                  .device_free = device_free,
                                  .file_need = file_need}};
  allocate(context.rank, context.places);
  build_lanes(context);
  return context;
}

std::vector<CommunicationLane*> StepContext::lanes() const {
  std::vector<CommunicationLane*> lanes;
  for (auto const& lane : own_lanes) lanes.push_back(lane.get());
  if (lanes.empty()) lanes.push_back(rank.allreduce.get());
  return lanes;
}

void StepContext::make_lanes() {
  if (!is_sharded(rank.config)) return;
  own_lanes.clear();
  const auto calls = lane_calls(graphs, graph());
  std::vector<LaneGroup> lane_groups;
  for (std::size_t lane = 0; lane < step->lanes().size(); ++lane) {
    const auto id = step->lanes()[lane];
    lane_groups.push_back(
        {groups.communicator(id), groups.places()[model::index(id)], calls.at(lane).most,
         model::nodes_of(graphs.communicators[model::index(id)], rank.config.ranks_per_node)});
  }
  const auto limit = rank.runtime.limited("MPI_Comm_dup");
  own_lanes = make_group_lanes(rank.config, rank.choice, lane_groups, rank.memory);
}

double step_need_with_results_file(StepContext const& context) {
  auto const& rank = context.rank;
  return need_with_results_file(memory_need(rank.config, rank.buffers), rank.file_need);
}

}  // namespace ddproxy
