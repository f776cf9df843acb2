// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "miniapp/measure/verification/exact_plan.hpp"

// What each compute task of a step writes and expects.
namespace ddproxy {
namespace {

using model::AccessMode;
using model::Content;
using model::Phase;
using Numbers = ExactContent::Kind;

bool writes(PlacedAccess const& access) {
  return access.mode != AccessMode::read;
}

bool needs_operators(Numbers kind) {
  return kind == Numbers::gradient || kind == Numbers::updated_parameter;
}

// Divides `model`, a range of elements of the model, at the ends of the expected gradients. Calls visit(part,
// gradient) for each part that belongs to an expected gradient.
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

}  // namespace

ExactContent ExactPlan::Activation::content() const {
  constexpr std::uint64_t most_versions = 1 << 12;
  const auto number = static_cast<std::uint64_t>(tensor) << 20 | static_cast<std::uint64_t>(micro_batch);
  return {.kind = Numbers::activation, .first = number * most_versions + static_cast<std::uint64_t>(version)};
}

void ExactPlan::add(Kind kind, Slice slice, ExactContent content, std::size_t from) {
  if (slice.count > 0 && is_here(slice)) operations_.push_back({kind, slice, content, from});
}

// Adds a comparison. Gradients and updated parameters are compared tensor by tensor, because their numbers
// depend on the operators that contribute to the gradient. Of these two kinds, elements without an expected
// gradient are left out.
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

// Notes which elements the task has written, and assigns NaN to those that it used for the last time.
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
  // A task may modify a tensor that another operator has written. So the tensor number is not compared.
  if (access.mode == AccessMode::modify && is_known) return found->second;
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
    const std::size_t both = std::min(access.slice.count, gradient.slice.count);
    if (access.content == Content::parameter && is_here(gradient.slice))
      add(Kind::subtract, {access.slice.offset, both}, {}, gradient.slice.offset);
    if (access.content == Content::optimizer_state) add(Kind::increment, access.slice);
  }
}

}  // namespace ddproxy
