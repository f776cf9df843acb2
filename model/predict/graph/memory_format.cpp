// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/memory_format.hpp"

#include <map>

namespace ddproxy::model {
namespace {

bool is_activation(BufferKind kind) {
  return kind == BufferKind::activation || kind == BufferKind::activation_gradient;
}

void use_bf16(StepGraph& graph) {
  for (Buffer& buffer : graph.buffers) {
    const bool of_parameters = buffer.kind == BufferKind::parameter || buffer.kind == BufferKind::gradient ||
                               buffer.kind == BufferKind::bucket || buffer.kind == BufferKind::gathered_unit;
    if (of_parameters || is_activation(buffer.kind)) buffer.type = DataType::bf16;
  }
}

/// Returns the access of an update task to its first moments. Returns null if the task is not an update, or
/// if it uses no moments.
Access const* first_moments(Task const& task) {
  auto const* compute = std::get_if<Compute>(&task.work);
  if (!compute || compute->phase != Phase::update) return nullptr;
  for (Access const& access : task.accesses)
    if (access.content == Content::optimizer_state) return &access;
  return nullptr;
}

void add_master(StepGraph& graph) {
  std::map<BufferId, BufferId> masters;  // [buffer of first moments]: buffer of the master copy
  for (Task& task : graph.tasks) {
    Access const* moments = first_moments(task);
    if (!moments) continue;
    const auto [found, is_new] = masters.try_emplace(moments->buffer, BufferId{graph.buffers.size()});
    if (is_new) graph.buffers.push_back(Buffer(graph.buffers[index(moments->buffer)]));
    Access master = *moments;
    master.buffer = found->second;
    task.accesses.push_back(master);
  }
}

/// Returns the tensor of an access to activations. Access::model numbers the activations first and then their
/// gradients.
TokenTensor const& tensor_of(ForwardPass const& forward, Access const& access) {
  const std::size_t activations = forward.activations.size();
  return access.model < activations ? forward.activations[access.model]
                                    : forward.gradients[access.model - activations];
}

void use_autocast_activations(StepGraph& graph, ForwardPass const& forward) {
  for (Task const& task : graph.tasks) {
    for (Access const& access : task.accesses) {
      Buffer& buffer = graph.buffers[index(access.buffer)];
      if (access.content != Content::activation || !is_activation(buffer.kind)) continue;
      buffer.type = tensor_of(forward, access).stays_fp32 ? DataType::fp32 : DataType::bf16;
    }
  }
}

void add_cached_weights(StepGraph& graph, BackwardPass const& pass) {
  std::map<OperatorId, BufferId> copies;
  for (Task& task : graph.tasks) {
    auto const* compute = std::get_if<Compute>(&task.work);
    if (!compute || compute->phase > Phase::backward) continue;
    Operation const& operation = pass.operations[index(compute->op)];
    if (operation.kind != OperationKind::linear && operation.kind != OperationKind::head) continue;
    const auto elements = static_cast<std::size_t>(operation.in * operation.out);
    const auto [found, is_new] = copies.try_emplace(compute->op, BufferId{graph.buffers.size()});
    if (is_new)
      graph.buffers.push_back(
          {.kind = BufferKind::cached_weight, .type = DataType::bf16, .elements = elements});
    task.accesses.push_back({.buffer = found->second,
                             .slice = {0, elements},
                             .mode = is_new ? AccessMode::assign : AccessMode::read,
                             .content = Content::parameter});
  }
}

}  // namespace

StepGraph in_format(StepGraph graph, BackwardPass const& pass, ForwardPass const& forward,
                    MemoryFormat format) {
  if (format == MemoryFormat::bf16_master) {
    use_bf16(graph);
    add_master(graph);
  }
  if (format == MemoryFormat::autocast) {
    use_autocast_activations(graph, forward);
    add_cached_weights(graph, pass);
  }
  return graph;
}

}  // namespace ddproxy::model
