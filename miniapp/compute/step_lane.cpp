// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_lane.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/residual.hpp"
#include "kernels/rope.hpp"
#include "miniapp/compute/parameters.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::index;
using model::OperationKind;
using model::Phase;

StepInput checked(StepInput input, model::StepGraph const& graph) {
  check_input(input, graph);
  if (!graph.expected.clipped) input.clip.reset();
  return input;
}

// Returns the elements of the model that a buffer has at the start of a step. A shard has the part of this
// rank's place in its group.
Slice held_of(model::Buffer const& buffer, std::vector<GroupPlace> const& groups) {
  auto const& state = buffer.at_entry;
  const std::size_t place = state.shard ? static_cast<std::size_t>(groups.at(index(*state.shard)).rank) : 0;
  return model::held_part(state.model, buffer.elements, place);
}

std::vector<HeldSlice> buffers_of(model::StepGraph const& graph, StepPlaces const& places,
                                  std::vector<GroupPlace> const& groups, model::BufferKind kind) {
  std::vector<HeldSlice> found;
  for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
    auto const& buffer = graph.buffers[b];
    if (buffer.kind == kind) found.push_back({{places.first[b], buffer.elements}, held_of(buffer, groups)});
  }
  return found;
}

// Returns whether a collective adds the sums of squares of the ranks.
bool sums_over_ranks(model::StepGraph const& graph) {
  return std::ranges::any_of(graph.tasks, [&](model::Task const& task) {
    return !model::collectives_of(task).empty() &&
           graph.buffers[index(task.accesses.front().buffer)].kind == model::BufferKind::scalar;
  });
}

step::Context context_of(StepInput const& input, kernels::Space const& exec, BumpAllocator const& work) {
  auto const& shape = input.shape;
  const auto all_tokens =
      static_cast<float>(input.tokens.count() * static_cast<std::int64_t>(input.batches.size()));
  return {exec,
          shape,
          {input.tokens.batch, input.tokens.sequence, shape.heads, shape.head_size(),
           shape.key_features() / shape.head_size()},
          1 / all_tokens,
          work["scratch"],
          work["rope table"]};
}

template <class T>
std::vector<T> to_host(T const* data, std::size_t count) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  std::vector<T> copy(count);
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Unmanaged>(copy.data(), count),
                    Kokkos::View<T const*, kernels::Memory, Unmanaged>(data, count));
  return copy;
}

}  // namespace

StepLane::StepLane(StepInput input, model::StepGraph const& graph, StepPlaces const& places,
                   kernels::Floats memory, std::vector<GroupPlace> const& groups, kernels::Space exec)
    : KernelLane(std::move(exec), std::move(memory), graph.tasks.size()),
      input_(checked(std::move(input), graph)),
      pass_(model::backward_pass(input_.shape)),
      parameters_(buffers_of(graph, places, groups, model::BufferKind::parameter)),
      states_(buffers_of(graph, places, groups, model::BufferKind::optimizer_state)),
      work_memory_("work buffers", step_work_buffers(input_.shape, input_.tokens,
                                                     graph.expected.micro_batches, exec_.concurrency())),
      context_(context_of(input_, exec_, work_memory_)),
      losses_(reinterpret_cast<double*>(work_memory_["losses"])),  // begins on a cache line
      clip_(work_memory_["clip"]),
      update_(input_.optimizer, input_.clip, clip_,
              sums_over_ranks(graph) ? reinterpret_cast<double*>(work_memory_["sum of squares"]) : nullptr) {
  add_operators();
  add_tokens();
  check_places(graph);
  if (input_.shape.positions == model::Positions::rope)
    kernels::rope_table(exec_, input_.tokens.sequence, input_.shape.head_size(), input_.shape.rope_theta,
                        work_memory_["rope table"]);
}

void StepLane::add_operators() {
  for (auto const& operation : pass_.operations)
    operators_.push_back(
        {operation.kind, operation.in, operation.out, false,
         operation.part == model::Part::attn_c_proj || operation.part == model::Part::mlp_c_proj});
  for (auto const& gradient : pass_.gradients)
    if (gradient.bias) operators_[gradient.operation].biased = true;
}

void StepLane::add_tokens() {
  for (auto const& batch : input_.batches)
    tokens_.push_back({kernels::copy_tokens("inputs", batch.inputs),
                       kernels::copy_tokens("targets", batch.targets), kernels::group_tokens(batch.inputs)});
}

void StepLane::check_places(model::StepGraph const& graph) const {
  for (auto const& task : graph.tasks) {
    auto const* compute = std::get_if<model::Compute>(&task.work);
    if (compute == nullptr || !knows(*compute)) continue;  // run_step() refuses tasks that knows() refuses
    const std::size_t needed =
        step::places_of(input_.shape, operators_[index(compute->op)], compute->phase, graph.expected.clipped);
    if (task.accesses.size() != needed)
      throw std::logic_error("the lane of a whole step cannot carry out the " + model::describe(task) +
                             ": its kernel needs " + std::to_string(needed) + " places, and the task has " +
                             std::to_string(task.accesses.size()));
  }
}

void StepLane::initialise(std::uint32_t seed) {
  const auto clear = [&](Slice slice) {
    kernels::fill_zero(exec_, static_cast<kernels::Index>(slice.count), memory_.data() + slice.offset);
  };
  for (auto const& [slice, held] : parameters_) {
    clear({slice.offset + held.count, slice.count - held.count});
    initialise_weights(exec_, input_.shape, pass_, seed, held, memory_.data() + slice.offset);
  }
  for (auto const& state : states_) clear(state.memory);
  update_.restart();
  fence();
}

void StepLane::begin() {
  KernelLane::begin();
  update_.begin();
}

void StepLane::run(std::size_t operation) {
  throw std::logic_error("operator " + std::to_string(operation) +
                         " of a whole step cannot run without its places; call carry_out()");
}

bool StepLane::knows(model::Compute const& compute) const {
  const bool of_model = compute.phase == Phase::forward || compute.phase == Phase::recompute ||
                        compute.phase == Phase::backward;
  return !of_model || (index(compute.op) < operators_.size() && compute.micro_batch >= 0 &&
                       static_cast<std::size_t>(compute.micro_batch) < tokens_.size());
}

void StepLane::carry_out(ComputeCall const& call) {
  const step::Operands places(call.accesses, memory_.data());
  switch (call.compute.phase) {
    case Phase::forward:
    case Phase::recompute:
      forward(call);
      break;
    case Phase::backward:
      backward(call);
      break;
    case Phase::norm:
      update_.add_squares(context_, places);
      break;
    case Phase::clip:
      update_.clip(context_, places);
      break;
    case Phase::update:
      update_.adamw(context_, places);
      break;
  }
  marks_.move_on();
}

void StepLane::forward(ComputeCall const& call) {
  const auto m = static_cast<std::size_t>(call.compute.micro_batch);
  step::Operator const& op = operators_[index(call.compute.op)];
  const step::Operands places(call.accesses, memory_.data());
  switch (op.kind) {
    case OperationKind::token_table:
      return step::token_forward(context_, tokens_[m], places);
    case OperationKind::position_table:
      return step::position_forward(context_, places);
    case OperationKind::norm:
      return step::norm_forward(context_, op, places);
    case OperationKind::linear:
      return step::linear_forward(context_, op, places);
    case OperationKind::rope:
      return step::rope_forward(context_, places);
    case OperationKind::attention:
      return step::attention_forward(context_, places);
    case OperationKind::activation:
      return step::activation_forward(context_, places);
    case OperationKind::head:
      return step::head_forward(context_, op, places);
    case OperationKind::cross_entropy:
      return step::loss_forward(context_, tokens_[m], places, losses_ + m);
  }
}

void StepLane::backward(ComputeCall const& call) {
  const auto m = static_cast<std::size_t>(call.compute.micro_batch);
  step::Operator const& op = operators_[index(call.compute.op)];
  const step::Operands places(call.accesses, memory_.data());
  switch (op.kind) {
    case OperationKind::token_table:
      return step::token_backward(context_, tokens_[m], places);
    case OperationKind::position_table:
      return step::position_backward(context_, places);
    case OperationKind::norm:
      return step::norm_backward(context_, op, places);
    case OperationKind::linear:
      return step::linear_backward(context_, op, places);
    case OperationKind::rope:
      return step::rope_backward(context_, places);
    case OperationKind::attention:
      return step::attention_backward(context_, places);
    case OperationKind::activation:
      return step::activation_backward(context_, places);
    case OperationKind::head:
      return step::head_backward(context_, op, places);
    case OperationKind::cross_entropy:
      return step::loss_backward(context_, tokens_[m], places);
  }
}

double StepLane::loss() const {
  exec_.fence("StepLane::loss");
  const auto losses = to_host(losses_, tokens_.size());
  const auto all_tokens = static_cast<double>(input_.tokens.count()) * static_cast<double>(tokens_.size());
  return std::accumulate(losses.begin(), losses.end(), 0.0) / all_tokens;
}

float StepLane::norm() const {
  exec_.fence("StepLane::norm");
  return to_host(clip_, 2)[1];
}

}  // namespace ddproxy
