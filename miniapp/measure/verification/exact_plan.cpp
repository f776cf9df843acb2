// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/exact_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {
namespace {

using model::AccessMode;
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

bool writes(PlacedAccess const& access) {
  return access.mode != AccessMode::read;
}

bool needs_operators(Numbers kind) {
  return kind == Numbers::gradient || kind == Numbers::updated_parameter;
}

ExactNumbers numbers_of(model::StepGraph const& graph, std::vector<GroupPlace> const& groups, bool rounds,
                        bool clips) {
  const GroupPlace place = groups.at(index(graph.expected.replicas));
  // A step may reduce a gradient after each micro-batch, and each time over two communicators.
  const double reductions = 2.0 * graph.expected.micro_batches;
  const bool exact_sums = !rounds || place.ranks <= 256;
  const double bound = wire_error_bound(exact_sums ? WireFormat::fp32 : WireFormat::bf16, place.ranks);
  return {place.ranks, place.rank,          graph.expected.micro_batches,
          rounds,      clips ? 0.5F : 1.0F, static_cast<float>(reductions * bound)};
}

// Calls visit(slice, gradient) for each part of `model` with one expected gradient.
template <class Visit>
void for_each_expected(model::Expected const& expected, Slice model, Visit const& visit) {
  auto const& gradients = expected.gradients;
  auto at = std::ranges::upper_bound(gradients, model.offset, {},
                                     [](model::ExpectedGradient const& each) { return each.model.offset; });
  if (at != gradients.begin()) --at;
  for (; at != gradients.end() && at->model.offset < model.end(); ++at) {
    const std::size_t first = std::max(at->model.offset, model.offset);
    const std::size_t end = std::min(at->model.end(), model.end());
    if (first < end) visit(Slice{first, end - first}, *at);
  }
}

bool has_clip(CompiledStep const& step) {
  return std::ranges::any_of(step.phases(),
                             [](ComputeCall const& call) { return call.compute.phase == Phase::clip; });
}

}  // namespace

ExactContent ExactPlan::Activation::content() const {
  constexpr std::uint64_t most_versions = 1 << 12;
  const auto number = static_cast<std::uint64_t>(tensor) << 20 | static_cast<std::uint64_t>(micro_batch);
  return {.kind = Numbers::activation, .first = number * most_versions + static_cast<std::uint64_t>(version)};
}

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

void ExactPlan::add(Kind kind, Slice slice, ExactContent content, std::size_t from) {
  if (slice.count > 0 && is_here(slice)) operations_.push_back({kind, slice, content, from});
}

// Adds a comparison. Gradients are compared tensor by tensor, because their numbers depend on the operators
// that contribute to them. Elements without an expected gradient are left out.
void ExactPlan::check(std::vector<ExactOperation>& to, Slice slice, ExactContent content) {
  if (slice.count == 0 || !is_here(slice)) return;
  if (!needs_operators(content.kind)) return to.push_back({Kind::check, slice, content});
  for_each_expected(
      expected_, {content.first, slice.count}, [&](Slice model, model::ExpectedGradient const& gradient) {
        ExactContent part = content;
        part.first = model.offset;
        part.operators = static_cast<int>(gradient.operators.size());
        to.push_back({Kind::check, {slice.offset + model.offset - content.first, model.count}, part});
      });
}

// ---- before and after the step

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

// ---- tasks

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

void ExactPlan::add_task(ComputeCall const& call) {
  first_.push_back(operations_.size());
  switch (call.compute.phase) {
    case Phase::forward:
    case Phase::recompute:
    case Phase::backward:
      check_reads(call);
      write_outputs(call);
      break;
    case Phase::norm:
      add_norm(call);
      break;
    case Phase::clip:
      add_clip(call);
      break;
    case Phase::update:
      add_update(call);
      break;
  }
  finish_task(call);
}

// Fills what the task used for the last time with NaN.
void ExactPlan::finish_task(ComputeCall const& call) {
  for (auto const& access : call.accesses) {
    if (!is_here(access.slice)) continue;
    if (writes(access)) status_.set(access.slice, Status::written);
    if (!access.last_use) continue;
    add(Kind::assign, access.slice);
    status_.set(access.slice, Status::poison);
  }
}

void ExactPlan::check_reads(ComputeCall const& call) {
  for (auto const& access : call.accesses) {
    const bool reads = access.mode == AccessMode::read || access.mode == AccessMode::modify;
    if (reads && access.content == Content::parameter)
      check(operations_, access.slice, {.kind = Numbers::parameter, .first = access.model});
    if (reads && access.content == Content::activation) check_activation(call, access);
  }
}

void ExactPlan::write_outputs(ComputeCall const& call) {
  for (auto const& access : call.accesses) {
    if (access.content == Content::activation && writes(access)) write_activation(call, access);
    if (access.content == Content::gradient && writes(access)) contribute(call, access);
  }
}

ExactPlan::Activation ExactPlan::expected_activation(ComputeCall const& call,
                                                     PlacedAccess const& access) const {
  const auto found = activations_.find(access.slice.offset);
  const bool is_known = found != activations_.end();
  if (access.mode == AccessMode::modify && is_known) return found->second;  // may pass to another operator
  const Activation declared{access.model, call.compute.micro_batch, 0};
  const bool is_same = is_known && found->second.tensor == declared.tensor &&
                       found->second.micro_batch == declared.micro_batch;
  return is_same ? found->second : declared;
}

void ExactPlan::check_activation(ComputeCall const& call, PlacedAccess const& access) {
  check(operations_, access.slice, expected_activation(call, access).content());
}

void ExactPlan::write_activation(ComputeCall const& call, PlacedAccess const& access) {
  const bool modifies = access.mode == AccessMode::modify;
  const int version = modifies ? expected_activation(call, access).version + 1 : 0;
  const Activation now{access.model, call.compute.micro_batch, version};
  activations_.insert_or_assign(access.slice.offset, now);
  add(Kind::assign, access.slice, now.content());
}

void ExactPlan::contribute(ComputeCall const& call, PlacedAccess const& access) {
  const auto kind = access.mode == AccessMode::assign ? Kind::assign : Kind::add;
  for_each_expected(expected_, {access.model, access.slice.count},
                    [&](Slice model, model::ExpectedGradient const& gradient) {
                      const auto of = std::ranges::find(gradient.operators, call.compute.op);
                      add(kind, {access.slice.offset + model.offset - access.model, model.count},
                          {.kind = Numbers::contribution,
                           .first = model.offset,
                           .micro_batch = call.compute.micro_batch,
                           .op = static_cast<int>(of - gradient.operators.begin()),
                           .operators = static_cast<int>(gradient.operators.size())});
                    });
}

void ExactPlan::add_norm(ComputeCall const& call) {
  auto const& scalar = call.accesses.front();
  std::size_t count = 0;
  for (auto const& access : call.accesses.subspan(1)) {
    check(operations_, access.slice, {.kind = Numbers::gradient, .first = access.model});
    count += access.slice.count;
  }
  if (scalar.slice.count < 2)
    throw std::logic_error("the verification of a step needs a norm of two elements");
  add(scalar.mode == AccessMode::assign ? Kind::start_count : Kind::add_count, scalar.slice, {}, count);
}

void ExactPlan::check_count(PlacedAccess const& access) {
  add(Kind::check_count, access.slice, {}, gradient_elements_);
}

void ExactPlan::add_clip(ComputeCall const& call) {
  check_count(call.accesses.front());
  for (auto const& access : call.accesses.subspan(1)) {
    check(operations_, access.slice, {.kind = Numbers::gradient, .first = access.model});
    add(Kind::halve, access.slice);
  }
}

// Parameters may be followed by padding, which is not compared.
void ExactPlan::add_update(ComputeCall const& call) {
  auto const& gradient = call.accesses[0];
  auto const& parameters = call.accesses[1];
  const auto buffer = std::prev(end_of_model_.upper_bound(parameters.slice.offset));
  const std::size_t end = std::max(buffer->second, parameters.model);
  const std::size_t count = std::min(parameters.slice.count, end - parameters.model);
  const auto of_model = [&](PlacedAccess const& access) { return Slice{access.slice.offset, count}; };
  check(operations_, of_model(gradient),
        {.kind = Numbers::gradient, .first = gradient.model, .clipped = clips_in_place_});
  for (auto const& access : call.accesses.subspan(1)) {
    if (access.content == Content::norm) check_count(access);
    if (access.content == Content::parameter)
      check(operations_, of_model(access), {.kind = Numbers::parameter, .first = access.model});
    if (access.content == Content::optimizer_state)
      check(operations_, of_model(access), {.kind = Numbers::state, .first = access.model});
  }
  for (auto const& access : call.accesses.subspan(1)) {
    if (access.content == Content::parameter && is_here(gradient.slice))
      add(Kind::subtract, access.slice, {}, gradient.slice.offset);
    if (access.content == Content::optimizer_state) add(Kind::increment, access.slice);
  }
}

}  // namespace ddproxy
