// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "miniapp/measure/pass/compiled_step.hpp"
#include "miniapp/measure/verification/exact_content.hpp"
#include "model/step/slice_map.hpp"

namespace ddproxy {

/// One thing that ExactLane does with a slice of the memory of a step.
struct ExactOperation {
  enum class Kind {
    check,        ///< compares the elements with `content`
    assign,       ///< assigns `content`
    add,          ///< adds `content`
    subtract,     ///< subtracts the elements that begin at `from`
    increment,    ///< adds 1
    halve,        ///< multiplies by 0.5
    start_count,  ///< assigns the number `from` to the two elements of the norm
    add_count,    ///< adds the number `from` to the two elements of the norm
    check_count   ///< compares the number in the two elements of the norm with `from`
  };
  Kind kind;
  Slice slice;
  ExactContent content = {};
  std::size_t from = 0;
};

/// What a rank writes and expects in one run of a step whose operators compute with exact numbers
/// (exact_content.hpp). Everything follows from the graph: from its accesses, from model::Expected (what a
/// complete gradient consists of), and from the states of its buffers at the start and at the end of the
/// step.
///
/// - Before the step all elements are NaN, except those that hold parameters or optimizer states at the start
///   of the step (Buffer::at_entry).
/// - A compute task reads parameters, optimizer states, activations and reduced gradients. It must find the
///   declared numbers. It then writes the numbers of its outputs. Elements become NaN after their last use.
/// - The tasks of the norm count the gradient elements that they read. A task that reads the norm must find
///   the number of all gradient elements of the model. A task that clips halves the gradients.
/// - After the step the elements have the numbers of their state at exit. Elements that no task has written
///   since the start, or since a compute task used them for the last time, must still be NaN.
///
/// If compute is replayed (`[compute] mode = "replay"`), a rank has memory for some of the buffers only. The
/// other buffers are left out.
class ExactPlan {
 public:
  /// `places` and `groups` are the arguments with which `step` was compiled. `memory` is the number of
  /// elements of the memory of the step. `rounds`: elements are rounded to bf16 on the wire. Keeps no
  /// references. Throws std::logic_error if the norm of the step has fewer than two elements.
  ExactPlan(CompiledStep const& step, std::span<const std::size_t> places,
            std::vector<GroupPlace> const& groups, std::size_t memory, bool rounds);

  ExactNumbers const& numbers() const { return numbers_; }
  /// Returns what must be done before the step, apart from filling the memory with NaN.
  std::span<const ExactOperation> entry() const { return entry_; }
  /// Returns what task number `call` of CompiledStep::phases() does.
  std::span<const ExactOperation> task(std::size_t call) const {
    return std::span(operations_).subspan(first_[call], first_[call + 1] - first_[call]);
  }
  /// Returns the comparisons after the step.
  std::span<const ExactOperation> exit() const { return exit_; }
  std::size_t memory() const { return memory_; }           ///< elements of the memory of the step
  std::size_t tasks() const { return first_.size() - 1; }  ///< number of tasks of CompiledStep::phases()

 private:
  using Kind = ExactOperation::Kind;
  enum class Status : std::uint8_t { poison, written };

  void add_entry(CompiledStep const& step, std::span<const std::size_t> places,
                 std::vector<GroupPlace> const& groups);
  void add_tasks(CompiledStep const& step);
  void add_exit(CompiledStep const& step, std::span<const std::size_t> places,
                std::vector<GroupPlace> const& groups);
  void add_exit_of(model::Buffer const& buffer, std::size_t place, std::vector<GroupPlace> const& groups);

  void add_task(ComputeCall const& call);
  void add_update(ComputeCall const& call);
  void add_norm(ComputeCall const& call);
  void add_clip(ComputeCall const& call);
  void check_reads(ComputeCall const& call);
  void write_outputs(ComputeCall const& call);
  void check_activation(ComputeCall const& call, PlacedAccess const& access);
  void write_activation(ComputeCall const& call, PlacedAccess const& access);
  void contribute(ComputeCall const& call, PlacedAccess const& access);
  void check_count(PlacedAccess const& access);
  void finish_task(ComputeCall const& call);

  bool is_here(Slice slice) const { return slice.end() <= memory_; }
  void add(Kind kind, Slice slice, ExactContent content = {}, std::size_t from = 0);
  void check(std::vector<ExactOperation>& to, Slice slice, ExactContent content);

  /// An activation in the memory. `version` says how many tasks have modified it since it was assigned.
  struct Activation {
    std::size_t tensor;
    int micro_batch, version;
    ExactContent content() const;
  };
  Activation expected_activation(ComputeCall const& call, PlacedAccess const& access) const;

  std::size_t memory_;
  model::Expected expected_;
  std::size_t gradient_elements_ = 0;  // all gradient elements of the model, without padding
  bool clips_in_place_ = false;        // true: tasks of the step multiply the gradients by a factor
  ExactNumbers numbers_;
  std::vector<ExactOperation> entry_, operations_, exit_;
  std::vector<std::size_t> first_;  // [task] index of its first operation
  std::map<std::size_t, std::size_t>
      end_of_model_;                               // [first element of a buffer] end of its part of the model
  std::map<std::size_t, Activation> activations_;  // [first element of a slice]
  model::SliceMap<Status> status_;                 // [element of the memory]
};

}  // namespace ddproxy
