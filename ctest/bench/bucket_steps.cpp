// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/bucket_steps.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "model/step/strategies/ddp.hpp"

namespace ddproxy::bench {
namespace {

// Assigns the buckets to the lanes in turn. Each lane has a communicator of its own.
void distribute(model::StepGraph& graph, std::size_t lanes) {
  std::size_t buckets = 0;
  for (auto& task : graph.tasks)
    if (auto* const bucket = std::get_if<model::Collective>(&task.work)) {
      task.lane.number = buckets++ % lanes;
      bucket->communicator = model::CommunicatorId{task.lane.number};
    }
}

CompiledStep step_of(model::BackwardPass const& pass, model::Plan const& plan, std::size_t lanes) {
  auto graph = model::ddp(pass, {plan}, 2).classes.front().graph;
  distribute(graph, lanes);
  return {graph, std::vector<std::size_t>(graph.buffers.size(), 0), std::vector<GroupPlace>(lanes)};
}

model::Plan plan_of(model::BackwardPass const& pass, std::int64_t cap_mib) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(gradient.numel * 4);
  const std::int64_t cap = cap_mib << 20;
  return cap_mib == 0 ? model::per_tensor_plan(bytes) : model::bucketed_plan(bytes, {&cap, 1});
}

}  // namespace

BucketSteps bucket_steps(std::int64_t cap_mib, std::size_t lanes) {
  auto pass = model::backward_pass(model::find_preset("gpt2-large"));
  const auto plan = plan_of(pass, cap_mib);
  CompiledStep with = step_of(pass, plan, lanes), without = step_of(pass, {}, lanes);
  return {std::move(pass), plan.size(), std::move(with), std::move(without)};
}

}  // namespace ddproxy::bench
