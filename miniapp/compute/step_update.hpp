// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "kernels/adamw.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {

/// The optimizer of a whole step: the norm of the gradients, clipping, and AdamW. Everything stays in memory
/// of the execution space.
///
/// Order of calls: begin() at the start of each step; then the tasks in the order of the graph.
class Update {
 public:
  /// `clip`: the largest norm of the gradients; nothing for steps that do not clip. `result` [2] receives the
  /// factor and the norm. It must outlive this object.
  Update(kernels::AdamwSettings const& settings, std::optional<double> clip, float* result)
      : settings_(settings), clip_(clip), result_(result) {}

  /// Starts a step.
  void begin() {
    ++step_;
    factor_is_known_ = false;
  }
  /// The next step is the first one, whose moments are 0.
  void restart() { step_ = 0; }

  /// Adds the squares of a bucket to the scalar. Places: the scalar, gradients.
  void add_squares(Context const& context, Operands places);
  /// Scales the gradients of a bucket. Places: the scalar, gradients.
  void clip(Context const& context, Operands places);
  /// Updates the parameters of a bucket. Places: gradients, parameters, first moments, second moments, and
  /// the scalar if the step clips.
  void adamw(Context const& context, Operands places);

 private:
  /// Computes factor and norm from the scalar, in the first task that needs them.
  float const* factor(Context const& context, float* sum);

  kernels::AdamwSettings settings_;
  std::optional<double> clip_;
  float* result_;
  kernels::Index step_ = 0;
  bool factor_is_known_ = false;
};

}  // namespace ddproxy::step
