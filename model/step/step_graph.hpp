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

// A training step as a graph: tasks that read and write buffers, on lanes.
//
// A strategy (data parallel, sharded, pipeline) builds one graph for each class of equal ranks, with
// GraphBuilder (graph_builder.hpp). check() (check.hpp) proves that the graphs are right. Example, one
// gradient of 100 elements that is computed and then averaged over ranks 0 and 1:
//
//   GraphBuilder builder;
//   const BufferId gradient = builder.buffer({.kind = BufferKind::gradient, .elements = 100, ...});
//   builder.task({Compute{op, Phase::backward, 0}, {{gradient, {0, 100}, AccessMode::assign, ...}}});
//   builder.task({Collective{Verb::all_reduce, world}, {{gradient, {0, 100}, AccessMode::modify, ...}},
//                 {LaneKind::communication, 0}});   // waits for the task before: both touch the gradient
//
// Ids are indices into the vectors of the graph that they belong to; index() turns one into a number.

namespace ddproxy::model {

enum class BufferId : std::size_t {};
enum class TaskId : std::size_t {};
enum class OperatorId : std::size_t {};      ///< index into the operators of the model
enum class CommunicatorId : std::size_t {};  ///< index into RankGraphs::communicators

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

/// What the elements of a slice are. Parameters, gradients and optimizer states stand for elements of the
/// model's TensorLayout; activations for the output of an operator.
enum class Content { nothing, parameter, gradient, optimizer_state, activation, norm };

enum class DataType { fp32, bf16 };
constexpr int bytes_of(DataType type) {
  return type == DataType::fp32 ? 4 : 2;
}

/// What a buffer holds between two steps.
struct BufferState {
  Content content = Content::nothing;
  /// The elements of the model that it stands for. For activations: the operator's id as `offset`.
  Slice model = {0, 0};
  /// Where set, each rank of this communicator's group holds an equal part of `model`, by its place in the
  /// group. The parts are as long as the buffer; what they have beyond `model` is padding.
  std::optional<CommunicatorId> shard = std::nullopt;
  bool operator==(BufferState const&) const = default;
};

enum class BufferKind {
  parameter,
  gradient,
  bucket,         ///< gradients copied together for one collective
  gathered_unit,  ///< parameters gathered from shards for some time
  optimizer_state,
  activation,
  activation_gradient,
  staging,  ///< on the host
  scalar,
};

/// Memory of one rank that lives as long as the graph.
struct Buffer {
  BufferKind kind;
  DataType type = DataType::fp32;
  std::size_t elements;
  BufferState at_entry = {};  ///< `nothing`: undefined when the step starts
  BufferState at_exit = {};   ///< `nothing`: whatever it holds is not used after the step
};

enum class AccessMode {
  read,
  assign,      ///< overwrites
  contribute,  ///< adds to a gradient or to a norm
  modify,      ///< reads and overwrites: reduces in place, clips, updates
};

/// What a task does with a slice of a buffer.
struct Access {
  BufferId buffer;
  Slice slice;
  AccessMode mode;
  Content content;  ///< what the task takes it for, or makes of it
  std::size_t model =
      0;  ///< compute tasks: element of the model (activations: operator) that slice.offset is
  std::size_t padding =
      0;  ///< elements at the end of the slice that no tensor fills; their values do not matter
  /// Where set, only the part of the slice that belongs to this rank's place in its group of this
  /// communicator. The group's size divides slice.count.
  std::optional<CommunicatorId> part = std::nullopt;
  /// Where set, the buffer is a shard: the slice stands for the element `model` + place x slice.count and
  /// those behind it, by this rank's place in its group of this communicator.
  std::optional<CommunicatorId> shard = std::nullopt;
  bool last_use = false;  ///< the slice is undefined after the task
};

enum class Phase {
  forward,
  recompute,
  backward,
  norm,    ///< adds the squares of gradients to a scalar
  clip,    ///< scales gradients by what the norm says
  update,  ///< the optimizer
};

struct Compute {
  OperatorId op;
  Phase phase;
  int micro_batch = 0;  ///< forward, recompute and backward
};

enum class CopyKind { device_to_host, host_to_device, into_bucket, out_of_bucket, cast };

/// Copies the first access, which is read, to the second, which is assigned; both slices are equally long.
struct Copy {
  CopyKind kind;
};

enum class Verb { all_reduce, reduce_scatter, all_gather, broadcast, send, receive };
inline constexpr Verb all_verbs[] = {Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather,
                                     Verb::broadcast,  Verb::send,           Verb::receive};
enum class Reduction : std::uint8_t { sum, average };

/// One rank's part in a collective over its group of a communicator. Accesses, in this order:
///   all_reduce      modify x elements
///   reduce_scatter  read x elements, assign or contribute to x/n of them
///   all_gather      read x/n elements, assign x
///   broadcast       the root: read x elements; the others: assign x
///   send, receive   read x elements; assign x
struct Collective {
  Verb verb;
  CommunicatorId communicator;
  Reduction reduction = Reduction::average;
  std::optional<std::size_t> root_or_peer = std::nullopt;  ///< place in the group; broadcast, send, receive
  DataType wire = DataType::fp32;                          ///< of the elements on the wire
};

/// The host waits until everything that the task waits for has ended. It is the only task in which compute on
/// a device waits for the host.
struct HostWait {};

enum class LaneKind { compute, copy, communication };

/// A resource that carries out its tasks one after another, in the order of the graph's list.
struct Lane {
  LaneKind kind = LaneKind::compute;
  std::size_t number = 0;  ///< of a copy engine; of communication: one for each communicator, as a rule
  auto operator<=>(Lane const&) const = default;
};

struct Task {
  /// Several collectives are sends and receives that are issued as one group: the i-th has the i-th access.
  std::variant<Compute, Copy, Collective, std::vector<Collective>, HostWait> work;
  std::vector<Access> accesses;
  Lane lane = {};
  std::vector<TaskId> after = {};  ///< the tasks that it waits for, besides those before it on its lane
};

/// A run of elements of the model and the operators that contribute to their gradient: a tied embedding has
/// two.
struct ExpectedGradient {
  Slice model;
  std::vector<OperatorId> operators;
};

/// What a final gradient consists of, and what the step does with it.
struct Expected {
  CommunicatorId replicas;                       ///< every rank of the group contributes
  int micro_batches = 1;                         ///< each of them contributes
  std::vector<ExpectedGradient> gradients = {};  ///< rising, without overlap; those of this rank's operators
  bool clipped = false;                          ///< an update reads clipped gradients
  bool updated = false;  ///< every parameter and optimizer state is updated once; else none is
};

/// The step of one rank. Tasks are in topological order: a task waits only for tasks before it in the list.
struct StepGraph {
  std::vector<Buffer> buffers;
  std::vector<Task> tasks;
  Expected expected;
};

/// What one call of MPI_Comm_split makes: groups of ranks, a rank in one group at most. The place of a rank
/// in its group is its rank in the communicator.
struct Communicator {
  std::vector<std::vector<std::size_t>> groups;
};

/// Ranks with the same graph. They differ by their places in the groups alone.
struct RankClass {
  StepGraph graph;
  std::vector<std::size_t> ranks;
};

/// The step of all ranks.
struct RankGraphs {
  std::vector<Communicator> communicators;
  std::vector<RankClass> classes;
};

/// The collectives of a task: none, one, or those of a group.
std::vector<Collective> collectives_of(Task const& task);

/// A task of a class of ranks.
struct ClassTask {
  std::size_t rank_class;
  std::size_t task;
  auto operator<=>(ClassTask const&) const = default;
};

}  // namespace ddproxy::model
