// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/exact_plan.hpp"

#include <algorithm>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {
namespace {

using model::Content;
using model::index;
using model::Phase;
using Numbers = ExactContent::Kind;

// Returns the elements of the model that a buffer contains in a state.
Slice held_of(model::Buffer const& buffer, model::BufferState const& state,
              std::vector<GroupPlace> const& groups) {
  const std::size_t place = state.shard ? static_cast<std::size_t>(groups.at(index(*state.shard)).rank) : 0;
  return model::held_part(state.model, buffer.elements, place);
}

bool is_of_model(model::BufferState const& state) {
  return state.content == Content::parameter || state.content == Content::gradient ||
         state.content == Content::optimizer_state;
}

ExactNumbers numbers_of(model::StepGraph const& graph, std::vector<GroupPlace> const& groups, bool rounds,
                        bool clips) {
  const GroupPlace place = groups.at(index(graph.expected.replicas));
  // A step may reduce a gradient after each micro-batch, and each time over two communicators. A parameter
  // from which the gradient is subtracted is rounded again, which at most doubles the error.
  const double reductions = 2.0 * graph.expected.micro_batches, subtracted = 2;
  const bool exact_sums = !rounds || place.ranks <= 256;
  const double bound = wire_error_bound(exact_sums ? WireFormat::fp32 : WireFormat::bf16, place.ranks);
  return {place.ranks, place.rank,          graph.expected.micro_batches,
          rounds,      clips ? 0.5F : 1.0F, static_cast<float>(subtracted * reductions * bound)};
}

bool has_clip(CompiledStep const& step) {
  return std::ranges::any_of(step.phases(),
                             [](ComputeCall const& call) { return call.compute.phase == Phase::clip; });
}

}  // namespace

ExactPlan::ExactPlan(CompiledStep const& step, std::span<const std::size_t> places,
                     std::vector<GroupPlace> const& groups, std::size_t memory, bool rounds)
    : memory_(memory),
      expected_(step.graph().expected),
      clips_in_place_(has_clip(step)),
      numbers_(numbers_of(step.graph(), groups, rounds, clips_in_place_)),
      status_(memory, Status::poison) {
  for (auto const& gradient : expected_.gradients) gradient_elements_ += gradient.model.count;
  add_entry(step, places, groups);
  add_tasks(step);
  add_exit(step, places, groups);
}

void ExactPlan::add_entry(CompiledStep const& step, std::span<const std::size_t> places,
                          std::vector<GroupPlace> const& groups) {
  auto const& buffers = step.graph().buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    auto const& state = buffers[b].at_entry;
    if (is_of_model(buffers[b].at_exit))
      end_of_model_[places[b]] = held_of(buffers[b], buffers[b].at_exit, groups).end();
    if (!is_of_model(state)) continue;
    const Slice held = held_of(buffers[b], state, groups);
    const Slice slice{places[b], held.count};
    end_of_model_[places[b]] = held.end();
    if (slice.count == 0 || !is_here(slice)) continue;
    const auto kind = state.content == Content::parameter ? Numbers::parameter : Numbers::state;
    entry_.push_back({Kind::assign, slice, {.kind = kind, .first = held.offset}});
    status_.set(slice, Status::written);
  }
}

void ExactPlan::add_exit(CompiledStep const& step, std::span<const std::size_t> places,
                         std::vector<GroupPlace> const& groups) {
  auto const& buffers = step.graph().buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) add_exit_of(buffers[b], places[b], groups);
  status_.for_each({0, memory_}, [&](Slice slice, Status status) {
    if (status == Status::poison) exit_.push_back({Kind::check, slice});
  });
}

void ExactPlan::add_exit_of(model::Buffer const& buffer, std::size_t place,
                            std::vector<GroupPlace> const& groups) {
  auto const& state = buffer.at_exit;
  if (!is_of_model(state)) return;
  const Slice held = held_of(buffer, state, groups);
  ExactContent content{.first = held.offset, .clipped = clips_in_place_};
  if (state.content == Content::gradient)
    content.kind = Numbers::gradient;
  else if (state.content == Content::parameter)
    content.kind = expected_.updated ? Numbers::updated_parameter : Numbers::parameter;
  else
    content.kind = expected_.updated ? Numbers::updated_state : Numbers::state;
  check(exit_, {place, held.count}, content);
}

// Goes through the tasks in the order of the graph, which is an order in which they may run.
void ExactPlan::add_tasks(CompiledStep const& step) {
  const auto written = [&](Slice slice) {
    if (!is_here(slice)) return;
    status_.set(slice, Status::written);
    activations_.erase(slice.offset);
  };
  for (Launch const& launch : step.launches()) {
    if (launch.kind == Launch::Kind::phase) add_task(step.phases()[launch.operation]);
    if (launch.kind == Launch::Kind::copy) written({launch.to, launch.slice.count});
    for (auto const& call : launch.calls) written(call.assigned);
  }
  first_.push_back(operations_.size());
}

}  // namespace ddproxy
