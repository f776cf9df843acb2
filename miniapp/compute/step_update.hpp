// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "kernels/adamw.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {

/// Carries out the tasks of the optimizer in a whole step: the norm of the gradients, clipping, and AdamW.
/// All numbers stay in the memory of the execution space, so the host does not wait.
///
/// Order of calls: begin() at the start of each step, then the tasks in the order of the graph.
///
/// The functions take the places of their task (step_operators.hpp). One of these places is the scalar of the
/// step: the sum of the squares of all gradients, a double.
///
/// If the gradients are divided among the ranks, a collective adds the sums of the ranks in fp32. The sum of
/// each rank is a double. Before the collective it is split into the two floats of the scalar: the sum
/// rounded to float, and the rest rounded to float. After the collective the two floats are added to each
/// other. The result is the sum of the squares of all gradients, with a relative error of at most 2^-24 times
/// the number of ranks.
class Update {
 public:
  /// Takes the settings. `clip` is the largest allowed norm of the gradients; it is empty if the step does
  /// not clip. `result` [2] receives the factor that clips, and the norm. `own_sum` [1] holds the sum of this
  /// rank if a collective adds the sums of the ranks; otherwise it is null. The arrays `result` and `own_sum`
  /// must outlive this object.
  Update(kernels::AdamwSettings const& settings, std::optional<double> clip, float* result,
         double* own_sum = nullptr)
      : settings_(settings), clip_(clip), result_(result), own_sum_(own_sum) {}

  /// Starts a step.
  void begin() {
    ++step_;
    factor_is_known_ = false;
  }
  /// Makes the next step count as step 1. The caller must assign 0 to the moments.
  void restart() { step_ = 0; }

  /// Adds the squares of the gradients of a bucket to the scalar. The first of these tasks in a step assigns
  /// the scalar. Places: the scalar, gradients.
  void add_squares(Context const& context, Operands places);
  /// Scales the gradients of a bucket by the factor that clips. Places: the scalar, gradients.
  void clip(Context const& context, Operands places);
  /// Updates the parameters of a bucket with AdamW. If the step clips, the update multiplies each gradient by
  /// the factor that clips. Places: gradients, parameters, first moments, second moments, and also the scalar
  /// if the step clips.
  void adamw(Context const& context, Operands places);

 private:
  /// Returns a pointer to the factor that clips. In the first task of a step that needs it, computes the
  /// factor and the norm from the scalar `sum`.
  float const* factor(Context const& context, float* sum);
  void find_factor(Context const& context, float* sum);

  kernels::AdamwSettings settings_;
  std::optional<double> clip_;
  float* result_;
  double* own_sum_;
  kernels::Index step_ = 0;
  bool factor_is_known_ = false;
};

}  // namespace ddproxy::step
