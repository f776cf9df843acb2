// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/measure/verification/exact_plan.hpp"

namespace ddproxy {

/// The first wrong element that an ExactLane found, and the number of all wrong elements.
struct ExactFault {
  std::uint64_t count = 0;  ///< wrong elements, counted at each comparison
  std::uint64_t at = 0;     ///< index of the element in the memory of the step
  /// Index in CompiledStep::phases() of the task that found the element. If the element was found after the
  /// step: the size of phases().
  std::uint64_t task = 0;
  ExactContent content;   ///< the element must be equal to element 0 of this content
  bool is_count = false;  ///< true: the norm is wrong; `expected` and `found` count gradient elements
  double expected = 0, found = 0;
};

/// The compute lane that verifies a step. It carries out the compute tasks of a step as ExactPlan says: it
/// compares the elements that a task reads, except gradients to which the task adds, and writes exact
/// numbers. The collectives and the copies are those of the step.
///
/// Order of calls: fill(), then run_step() with this lane, then find_fault(). Repeat these three calls to
/// verify again. The lane pauses before each task. On a device the stream pauses, and the host goes on. So if
/// a collective starts too early, it reads NaN or old numbers.
class ExactLane : public KernelLane {
 public:
  /// Takes a reference to the plan, which must outlive this object, and the memory of the step. `tasks` is
  /// the number of tasks of the graph. The lane pauses for `pause_s` seconds before each compute task. Throws
  /// std::logic_error if the memory does not have the size in the plan.
  ExactLane(ExactPlan const& plan, kernels::Floats memory, std::size_t tasks, double pause_s = 200e-6,
            kernels::Space exec = {});

  /// Fills the memory with NaN, writes what the step must find, and forgets earlier faults. Waits until it is
  /// done.
  void fill();
  std::size_t operations() const override { return 0; }
  void begin() override;
  /// Always throws std::logic_error: the tasks of a whole step go to carry_out().
  void run(std::size_t operation) override;
  bool knows(model::Compute const&) const override { return true; }
  /// Carries out the next task of CompiledStep::phases().
  void carry_out(ComputeCall const& call) override;
  /// Compares the memory with what must be in it after the step. Waits until it is done. Returns the first
  /// fault of the step, or nothing if there is none.
  std::optional<ExactFault> find_fault();

  /// Returns the number of elements that tasks have read and compared since begin().
  std::size_t checked() const { return checked_; }

 private:
  void carry_out(std::span<const ExactOperation> operations);

  ExactPlan const& plan_;
  double pause_s_;
  std::size_t tasks_, next_ = 0, checked_ = 0;
  // The fault in the memory of the kernels. `order_` has the task and the place of the first fault so far.
  Kokkos::View<ExactFault, kernels::Memory> fault_;
  Kokkos::View<std::uint64_t, kernels::Memory> order_;
};

}  // namespace ddproxy
