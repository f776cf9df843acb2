// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_kernels.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/attention/rope.hpp"
#include "miniapp/input/buffer_list.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::index;
using model::OperationKind;
using model::Phase;

step::Context context_of(StepInput const& input, kernels::Space exec, BumpAllocator<WorkBuffer> const& work) {
  const auto batches = static_cast<std::int64_t>(input.batches.size());
  return {std::move(exec),
          input.shape,
          attention_size(input.shape, input.tokens),
          1 / static_cast<float>(input.tokens.count() * batches),
          work[WorkBuffer::scratch],
          work[WorkBuffer::rope_table]};
}

std::vector<step::Operator> operators_of(model::BackwardPass const& pass) {
  std::vector<step::Operator> operators;
  for (auto const& operation : pass.operations)
    operators.push_back(
        {operation.kind, operation.in, operation.out, false,
         operation.part == model::Part::attn_c_proj || operation.part == model::Part::mlp_c_proj});
  for (auto const& gradient : pass.gradients)
    if (gradient.bias) operators[gradient.operation].biased = true;
  return operators;
}

bool is_of_model(Phase phase) {
  return phase == Phase::forward || phase == Phase::recompute || phase == Phase::backward;
}

}  // namespace

StepKernels::StepKernels(kernels::Space exec, StepInput const& input, double* losses)
    : work_(std::string(name_of(BufferUse::work)),
            work_buffers(input.shape, input.tokens, exec.concurrency())),
      context_(context_of(input, std::move(exec), work_)),
      losses_(losses),
      operators_(operators_of(model::backward_pass(input.shape))) {
  for (auto const& batch : input.batches)
    tokens_.push_back({kernels::copy_tokens("inputs", batch.inputs),
                       kernels::copy_tokens("targets", batch.targets), kernels::group_tokens(batch.inputs)});
  if (input.shape.positions == model::Positions::rope)
    kernels::rope_table(context_.exec, input.tokens.sequence, input.shape.head_size(), input.shape.rope_theta,
                        work_[WorkBuffer::rope_table]);
}

bool StepKernels::knows(model::Compute const& compute) const {
  return !is_of_model(compute.phase) || (index(compute.op) < operators_.size() && compute.micro_batch >= 0 &&
                                         static_cast<std::size_t>(compute.micro_batch) < tokens_.size());
}

void StepKernels::check_places(model::StepGraph const& graph) const {
  for (auto const& task : graph.tasks) {
    auto const* compute = std::get_if<model::Compute>(&task.work);
    if (compute == nullptr || !knows(*compute)) continue;  // run_step() refuses tasks that knows() refuses
    const std::size_t needed = step::places_of(context_.shape, operators_[index(compute->op)], compute->phase,
                                               graph.expected.clipped);
    if (task.accesses.size() != needed)
      throw std::logic_error("the lane of a whole step cannot carry out the " + model::describe(task) +
                             ": its kernel needs " + std::to_string(needed) + " places, and the task has " +
                             std::to_string(task.accesses.size()));
  }
}

void StepKernels::carry_out(model::Compute const& compute, step::Operands places) const {
  step::Operator const& op = operators_[index(compute.op)];
  const auto micro_batch = static_cast<std::size_t>(compute.micro_batch);
  if (compute.phase == Phase::backward)
    backward(op, micro_batch, places);
  else
    forward(op, micro_batch, places);
}

void StepKernels::forward(step::Operator const& op, std::size_t micro_batch, step::Operands places) const {
  switch (op.kind) {
    case OperationKind::token_table:
      return step::token_forward(context_, tokens_[micro_batch], places);
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
      return step::loss_forward(context_, tokens_[micro_batch], places,
                                losses_ ? losses_ + micro_batch : nullptr);
  }
}

void StepKernels::backward(step::Operator const& op, std::size_t micro_batch, step::Operands places) const {
  switch (op.kind) {
    case OperationKind::token_table:
      return step::token_backward(context_, tokens_[micro_batch], places);
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
      return step::loss_backward(context_, tokens_[micro_batch], places);
  }
}

}  // namespace ddproxy
