// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "model/transformer/tensor_layout.hpp"

// The types that describe a training step as a graph. StepGraph, near the end of this file, explains the
// graph.
//
// An id is an index into the buffers or the tasks of one graph, into the operators of the model, or into the
// communicators of the step. index() converts an id to a number. All offsets and counts are in elements, not
// in bytes.

namespace ddproxy::model {

enum class BufferId : std::size_t {};
enum class TaskId : std::size_t {};
enum class OperatorId : std::size_t {};      ///< index into the operators of the model
enum class CommunicatorId : std::size_t {};  ///< index into RankGraphs::communicators

/// Returns the number of an id.
template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// What the elements of a slice contain. "Element of the model" means an element of the model's TensorLayout.
/// Parameters, gradients and optimizer states have one element for each element of the model. An activation
/// is a tensor that operators pass to each other, or the gradient of such a tensor. A norm is a sum of the
/// squares of gradients.
enum class Content { nothing, parameter, gradient, optimizer_state, activation, norm };

enum class DataType { fp32, bf16 };
/// Returns the bytes of one element.
constexpr int bytes_of(DataType type) {
  return type == DataType::fp32 ? 4 : 2;
}

/// What a buffer contains between two steps.
struct BufferState {
  Content content = Content::nothing;
  /// The elements of the model that the buffer contains. For activations, `offset` is the number of the
  /// tensor (Access::model).
  Slice model = {0, 0};
  /// If set, the buffer contains only this rank's part of `model`. The ranks of a group of this communicator
  /// have equal parts, in the order of their places in the group. A part has as many elements as the buffer.
  /// The last parts may reach beyond the end of `model`. The elements beyond it are padding.
  std::optional<CommunicatorId> shard = std::nullopt;
  bool operator==(BufferState const&) const = default;
};

/// The use of a buffer.
enum class BufferKind {
  parameter,
  gradient,
  bucket,         ///< holds gradients that are copied into it for one collective
  gathered_unit,  ///< holds parameters that are gathered from shards and kept for part of the step
  optimizer_state,
  activation,
  activation_gradient,
  scalar,         ///< holds one number, for instance the sum of the squares of all gradients
  cached_weight,  ///< copy of a weight in another type, made once for the matrix products of a pass
};

/// Describes an array in the memory of one rank. The memory exists during the whole step. Its contents are
/// defined from the first task that writes them to the last task that uses them. At the start and
/// at the end of the step, at_entry and at_exit say what the array contains.
struct Buffer {
  BufferKind kind;
  DataType type = DataType::fp32;
  std::size_t elements;
  BufferState at_entry = {};  ///< when the step starts; `nothing`: the elements are undefined
  BufferState at_exit = {};   ///< when the step ends; `nothing`: the elements are not used after the step
};

/// How a task uses a slice of a buffer.
enum class AccessMode {
  read,
  assign,      ///< overwrites all elements
  contribute,  ///< adds to a gradient or to a norm
  modify,      ///< reads and overwrites: reduces in place, clips or updates
};

/// What a task does with a slice of a buffer.
struct Access {
  BufferId buffer;
  Slice slice;
  AccessMode mode;
  Content content;  ///< what the task expects to read, or what it writes
  /// For compute tasks: the element of the model at slice.offset. For activations: the number of the tensor,
  /// which the strategy chooses (for instance micro_batch() in strategies/micro_batch.hpp).
  std::size_t model = 0;
  /// Number of elements at the end of the slice that belong to no tensor. Their values do not matter.
  std::size_t padding = 0;
  /// If set, each rank accesses only its part of the slice: the slice is divided equally among the ranks of
  /// the group of this communicator, in the order of their places. slice.count is a multiple of the size of
  /// the group.
  std::optional<CommunicatorId> part = std::nullopt;
  /// If set, the buffer is a shard: it holds this rank's part only, and the slice is not divided further. The
  /// slice then stands for the slice.count elements of the model that begin at `model` + place x slice.count.
  /// `place` is the rank's place in its group of this communicator. Example with two ranks, model = 0 and
  /// slice = {0, 50}: on place 0 the slice has elements 0 to 49 of the model, on place 1 elements 50 to 99.
  std::optional<CommunicatorId> shard = std::nullopt;
  bool last_use = false;  ///< true: the elements are undefined after the task
};

/// The part of the step that a compute task belongs to.
enum class Phase {
  forward,
  recompute,
  backward,
  norm,    ///< adds the squares of gradients to a scalar
  clip,    ///< multiplies gradients by a factor that depends on the norm
  update,  ///< runs the optimizer
};

/// Runs the kernels of one operator, or the kernels of the norm, the clipping or the update. Norm, clipping
/// and update do not use `op`.
struct Compute {
  OperatorId op;
  Phase phase;
  int micro_batch = 0;  ///< from 0; used by forward, recompute and backward
};

enum class CopyKind { into_bucket, out_of_bucket };

/// Copies the elements of the task's first access to its second access. The first access reads, the second
/// assigns, and both have the same length.
struct Copy {
  CopyKind kind;
};

/// The kind of a collective. Point-to-point transfers count as collectives. All comments call this kind
/// "verb".
enum class Verb { all_reduce, reduce_scatter, all_gather, broadcast, send, receive };
inline constexpr Verb all_verbs[] = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather,
                                     Verb::broadcast,  Verb::send,           Verb::receive};
/// The sum of the ranks' values, or the sum divided by the number of ranks.
enum class Reduction : std::uint8_t { sum, average };

/// What one rank does in a collective over its group of a communicator. A group has n ranks, and x is the
/// number of elements of the whole collective. The task has these accesses, in this order:
///   all_reduce      modifies x elements
///   reduce_scatter  reads x elements, then assigns or contributes to x/n elements
///   all_gather      reads x/n elements, then assigns x elements
///   broadcast       reads x elements on the root, assigns x elements on the others
///   send            reads x elements; n must be 2
///   receive         assigns x elements; n must be 2
struct Collective {
  Verb verb;
  CommunicatorId communicator;
  Reduction reduction = Reduction::average;
  /// For a broadcast: the root's place in the group. For a send or receive: the peer's place in the group.
  std::optional<std::size_t> root_or_peer = std::nullopt;
  DataType wire = DataType::fp32;  ///< type of the elements that are transferred
};

/// Makes the host wait. If Task::after names collectives, the host waits for these. Otherwise it waits for
/// the earlier tasks of the same lane. On a device, a compute task that follows a HostWait starts only after
/// the host has finished waiting. No other kind of task makes compute tasks wait for the host
/// (host_waits.hpp).
struct HostWait {};

enum class LaneKind { compute, communication };

/// A resource that carries out its tasks one after another, in the order of StepGraph::tasks.
struct Lane {
  LaneKind kind = LaneKind::compute;
  /// Number of the lane among those of its kind, from 0. A step usually has one compute lane, and one
  /// communication lane for each communicator.
  std::size_t number = 0;
  auto operator<=>(Lane const&) const = default;
};

/// One task: the work, the buffers that it uses, the lane that carries it out, and what it waits for.
struct Task {
  /// A vector of collectives is a group of sends and receives that are issued together. Collective i uses
  /// access i.
  std::variant<Compute, Copy, Collective, std::vector<Collective>, HostWait> work;
  std::vector<Access> accesses;
  Lane lane = {};
  std::vector<TaskId> after = {};  ///< tasks to wait for, besides the task before it on its lane
};

/// A range of elements of the model, and the operators that contribute to the gradient of these elements. The
/// gradient of a tied embedding has two contributing operators.
struct ExpectedGradient {
  Slice model;
  std::vector<OperatorId> operators;
};

/// What a complete gradient consists of, and what the step does with it.
struct Expected {
  CommunicatorId replicas;                       ///< every rank of this rank's group contributes
  int micro_batches = 1;                         ///< every micro-batch contributes
  std::vector<ExpectedGradient> gradients = {};  ///< gradients of this rank; sorted by offset, no overlap
  bool clipped = false;  ///< true: an update reads clipped gradients, or reads the norm and clips them itself
  bool updated = false;  ///< true: every parameter and optimizer state is updated once; false: never
};

/// The step of one rank as a graph: tasks that read and write buffers, on lanes.
///
/// Problem: a step is checked, run, simulated and drawn. If each of these had its own description of a
/// strategy, the descriptions could differ. So a strategy describes its step once, as data.
///
/// Order of calls: a strategy (for instance data parallel or sharded) builds one graph for each class of
/// ranks that do the same work, with GraphBuilder (graph_builder.hpp). check() (check/check.hpp) proves that
/// the graphs are right. Then the same graphs are run, simulated and drawn. Example: one gradient of 100
/// elements that is computed and then averaged over ranks 0 and 1.
///
///   GraphBuilder builder;
///   const BufferId gradient = builder.buffer({.kind = BufferKind::gradient, .elements = 100, ...});
///   builder.task({Compute{op, Phase::backward, 0}, {{gradient, {0, 100}, AccessMode::assign, ...}}});
///   builder.task({Collective{Verb::all_reduce, world}, {{gradient, {0, 100}, AccessMode::modify, ...}},
///                 {LaneKind::communication, 0}});   // waits for the task before: both use the gradient
///   StepGraph graph = builder.finish(expected);
///
/// Tasks are in topological order: a task waits only for tasks with smaller ids. The struct itself checks
/// nothing: after each change, call check() again.
struct StepGraph {
  std::vector<Buffer> buffers;
  std::vector<Task> tasks;
  Expected expected;
};

/// The groups of ranks that one call of MPI_Comm_split makes. A rank is in at most one group. Its place in
/// the group is its rank in the communicator.
struct Communicator {
  std::vector<std::vector<std::size_t>> groups;
};

/// Ranks that share one graph. They differ only in their places in the groups.
struct RankClass {
  StepGraph graph;
  std::vector<std::size_t> ranks;
};

/// The step of all ranks.
struct RankGraphs {
  std::vector<Communicator> communicators;
  std::vector<RankClass> classes;
};

/// Returns the collectives of a task. Returns an empty list if the task's work is not a collective.
std::vector<Collective> collectives_of(Task const& task);

/// Identifies a task of a class of ranks.
struct ClassTask {
  std::size_t rank_class;
  std::size_t task;
  auto operator<=>(ClassTask const&) const = default;
};

}  // namespace ddproxy::model
