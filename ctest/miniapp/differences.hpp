// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/transformer/tensor_layout.hpp"

// Compares the gradients and the updates of two whole steps that add in different orders.
namespace ddproxy {

inline constexpr double not_comparable = 1e30;

/// Returns the largest absolute value of the elements of a tensor. Ignores NaN.
inline double largest_of(std::span<const float> tensor) {
  double largest = 0;
  for (const float each : tensor) largest = std::max(largest, std::abs(static_cast<double>(each)));
  return largest;
}

/// Returns the largest difference between an element of `gradients` and the same element of `expected`,
/// relative to the largest absolute value of its tensor in `expected`. Both arrays have all elements of the
/// model. Returns not_comparable if an element is NaN or if an array has another size.
inline double largest_difference(model::TensorLayout const& layout, std::span<const float> gradients,
                                 std::span<const float> expected) {
  if (gradients.size() != layout.elements() || expected.size() != layout.elements()) return not_comparable;
  double worst = 0;
  for (auto const& tensor : layout) {
    const auto [offset, count] = tensor.slice();
    const double scale = largest_of(expected.subspan(offset, count));
    for (std::size_t i = offset; i < offset + count; ++i) {
      const double each = std::abs(static_cast<double>(gradients[i]) - static_cast<double>(expected[i]));
      if (std::isnan(each)) return not_comparable;
      if (each > 0) worst = std::max(worst, each / scale);
    }
  }
  return worst;
}

/// Compares the updates of two runs of whole steps, step after step. Some gradients are mathematically zero,
/// for example those of the biases of the keys. AdamW turns their rounding noise into an update of a whole
/// learning rate. So an element is left out from the first step on in which its gradient is noise: not zero,
/// but at most 1e-6 of the largest gradient of its tensor.
class UpdateComparison {
 public:
  /// Takes the parameters before the first step. They must be equal in both runs.
  UpdateComparison(model::TensorLayout layout, double learning_rate, std::vector<float> const& start)
      : layout_(std::move(layout)),
        learning_rate_(learning_rate),
        left_out_(layout_.elements()),
        before_(start),
        expected_before_(start) {}

  /// Compares the change of each parameter in one step. `gradients` are those of the expected run, as the
  /// step averaged them. All arrays have all elements of the model.
  void add(std::span<const float> gradients, std::vector<float> const& parameters,
           std::vector<float> const& expected) {
    for (auto const& tensor : layout_) {
      const auto [offset, count] = tensor.slice();
      const double smallest = 1e-6 * largest_of(gradients.subspan(offset, count));
      for (std::size_t i = offset; i < offset + count; ++i) {
        const double gradient = std::abs(static_cast<double>(gradients[i]));
        if (gradient > 0 && gradient <= smallest) left_out_[i] = true;
        if (!left_out_[i]) compare(change(parameters, before_, i), change(expected, expected_before_, i));
      }
    }
    before_ = parameters;
    expected_before_ = expected;
  }

  /// Returns the largest difference between the changes of a parameter in the two runs, in units of the
  /// learning rate. Returns not_comparable if a change was NaN.
  double worst() const { return worst_; }
  std::size_t compared() const { return compared_; }  ///< number of elements compared, all steps together
  /// Returns the number of elements that are left out after the steps so far.
  std::size_t left_out() const { return static_cast<std::size_t>(std::ranges::count(left_out_, true)); }

 private:
  static double change(std::vector<float> const& after, std::vector<float> const& before, std::size_t i) {
    return static_cast<double>(after.at(i)) - static_cast<double>(before.at(i));
  }

  void compare(double change, double expected) {
    const double error = std::abs(change - expected) / learning_rate_;
    worst_ = std::isnan(error) ? not_comparable : std::max(worst_, error);
    ++compared_;
  }

  model::TensorLayout layout_;
  double learning_rate_;
  std::vector<bool> left_out_;  // [element]
  std::vector<float> before_, expected_before_;
  double worst_ = 0;
  std::size_t compared_ = 0;
};

}  // namespace ddproxy
