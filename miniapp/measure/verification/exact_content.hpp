// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/base/types.hpp"

namespace ddproxy {

// The numbers that the verification of a whole step uses in place of parameters, gradients and activations.
// All of them are small integers or, after clipping, multiples of 0.5. `element` is the index of an element
// in the model, K is the number of micro-batches of a step, and n the number of ranks that contribute to a
// gradient.
//
//   parameter(element)        1 to 256
//   contribution              what a rank adds to the gradient of an element in one micro-batch. If two
//                             operators use the element (a tied embedding), each of them adds a contribution
//   gradient(element)         the average over the n ranks of the sums of their contributions
//   updated parameter         parameter - gradient, or parameter - gradient / 2 if tasks clip the gradient
//   optimizer state           0 to 127; the update adds 1
//   activation                1 to 128; depends on the tensor, the micro-batch and the index
//
// Dense contributions: w(rank) g(element, micro-batch, operator). g is an integer from 1 to 8 that a hash
// selects. The weights w are integers from 1 to 7 whose average is 4, so the gradient is 4 times the sum of
// g. The step computes another gradient if a rank, a micro-batch or an operator is missing or counts twice,
// or if an element comes from another place.
//
// Sparse contributions, for steps that send bf16: bf16 represents every integer up to 256, but the sums of
// dense contributions are larger if a step has many micro-batches or ranks. So only one rank, in one
// micro-batch and by one operator, contributes to an element. It contributes 4 n, and the gradient is 4. If
// there are more than 64 ranks, it contributes n, and the gradient is 1. A hash of the element selects the
// rank, the micro-batch and the operator. All partial sums over the ranks are integers up to 256 for n <=
// 256, also if a step reduces an averaged gradient again.

inline constexpr float exact_poison = std::numeric_limits<float>::quiet_NaN();  ///< element not in use

/// Returns the upper 32 bits of a multiplicative hash. Different values of `stream` give different hashes.
KOKKOS_INLINE_FUNCTION std::uint32_t exact_hash(std::uint64_t number, std::uint64_t stream) {
  const std::uint64_t mixed = (number + stream * 0xD1B54A32D192ED03ULL + 1) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9ULL >> 32);
}

/// What the numbers of a rank depend on.
struct ExactNumbers {
  int ranks = 1;          ///< n: ranks that contribute to a gradient of this rank
  int place = 0;          ///< this rank's place among them
  int micro_batches = 1;  ///< K
  bool sparse = false;
  float clip = 1;  ///< factor by which the tasks of the step clip a gradient: 0.5, or 1 without such tasks
  /// Bound of the rounding errors of a gradient, relative to the gradient. The sums are exact, except in
  /// bf16 with more than 256 ranks. The division by n is not exact.
  float tolerance = 0;

  /// Returns w. It is 4 - d on place 2k and 4 + d on place 2k + 1, where d is 1, 2 or 3. If n is odd, it is 4
  /// on the last place.
  KOKKOS_INLINE_FUNCTION int weight() const {
    if (ranks % 2 == 1 && place + 1 == ranks) return 4;
    const int d = 1 + place / 2 % 3;
    return place % 2 == 0 ? 4 - d : 4 + d;
  }
  /// Returns the gradient of every element if contributions are sparse.
  KOKKOS_INLINE_FUNCTION float sparse_average() const { return ranks <= 64 ? 4.0F : 1.0F; }
  /// If contributions are sparse: returns whether this rank is the one that contributes to `element`, in
  /// `micro_batch` (from 0 to K - 1) and by operator `op` of `operators`. The result is true for
  /// exactly one combination of rank, micro-batch and operator.
  KOKKOS_INLINE_FUNCTION bool is_active(std::uint64_t element, int micro_batch, int op, int operators) const {
    return exact_hash(element, 1) % static_cast<std::uint32_t>(ranks) == static_cast<std::uint32_t>(place) &&
           exact_hash(element, 2) % static_cast<std::uint32_t>(micro_batches) ==
               static_cast<std::uint32_t>(micro_batch) &&
           exact_hash(element, 3) % static_cast<std::uint32_t>(operators) == static_cast<std::uint32_t>(op);
  }
  /// If contributions are dense: returns g, an integer from 1 to 8. It is the same on all ranks.
  KOKKOS_INLINE_FUNCTION static int pattern(std::uint64_t element, int micro_batch, int op) {
    const auto stream = 8 + 2 * static_cast<std::uint64_t>(micro_batch) + static_cast<std::uint64_t>(op);
    return static_cast<int>(1 + exact_hash(element, stream) % 8);
  }
  /// Returns what one operator adds to the gradient of an element in one micro-batch. `operators` operators
  /// contribute to the element, and `op` is the index of this operator among them.
  KOKKOS_INLINE_FUNCTION float contribution(std::uint64_t element, int micro_batch, int op,
                                            int operators) const {
    if (!sparse) return static_cast<float>(weight() * pattern(element, micro_batch, op));
    const float all = sparse_average() * static_cast<float>(ranks);
    return is_active(element, micro_batch, op, operators) ? all : 0.0F;
  }
  /// Returns the gradient of an element to which `operators` operators contribute, before it is clipped.
  KOKKOS_INLINE_FUNCTION float gradient(std::uint64_t element, int operators) const {
    if (sparse) return sparse_average();
    int sum = 0;
    for (int m = 0; m < micro_batches; ++m)
      for (int op = 0; op < operators; ++op) sum += pattern(element, m, op);
    return static_cast<float>(4 * sum);
  }
  /// Returns the parameter before the update, an integer from 1 to 256.
  KOKKOS_INLINE_FUNCTION static float parameter(std::uint64_t element) {
    return static_cast<float>(1 + exact_hash(element, 4) % 256);
  }
  /// Returns the state of the optimizer before the update, an integer from 0 to 127.
  KOKKOS_INLINE_FUNCTION static float state(std::uint64_t element) {
    return static_cast<float>(exact_hash(element, 5) % 128);
  }
};

/// What the elements of a slice must be.
struct ExactContent {
  enum class Kind {
    poison,
    parameter,
    updated_parameter,
    contribution,
    gradient,
    state,
    updated_state,
    activation
  };
  Kind kind = Kind::poison;
  /// The element of the model at the start of the slice. For an activation: a number that identifies the
  /// tensor, its micro-batch and its version (how many tasks have modified it).
  std::uint64_t first = 0;
  int micro_batch = 0;   ///< contribution: its micro-batch
  int op = 0;            ///< contribution: number of the operator among those of the element
  int operators = 1;     ///< contribution, gradient, updated_parameter: number of operators of the element
  bool clipped = false;  ///< gradient: after the tasks that clip it

  /// Returns element `i` of the slice.
  KOKKOS_INLINE_FUNCTION float value(ExactNumbers const& numbers, std::uint64_t i) const {
    switch (kind) {
      case Kind::parameter:
        return ExactNumbers::parameter(first + i);
      case Kind::updated_parameter:
        return ExactNumbers::parameter(first + i) - numbers.clip * numbers.gradient(first + i, operators);
      case Kind::contribution:
        return numbers.contribution(first + i, micro_batch, op, operators);
      case Kind::gradient:
        return (clipped ? numbers.clip : 1.0F) * numbers.gradient(first + i, operators);
      case Kind::state:
        return ExactNumbers::state(first + i);
      case Kind::updated_state:
        return ExactNumbers::state(first + i) + 1;
      case Kind::activation:
        return static_cast<float>(1 + exact_hash(i, 64 + first) % 128);
      case Kind::poison:
        break;
    }
    return exact_poison;
  }

  /// Returns whether `found` is element `i` of the slice. Gradients and updated parameters may differ by
  /// rounding errors, because the sums were divided by n. All other numbers must be equal.
  KOKKOS_INLINE_FUNCTION bool is(ExactNumbers const& numbers, std::uint64_t i, float found) const {
    if (kind == Kind::poison) return found != found;
    const float expected = value(numbers, i);
    if (kind != Kind::gradient && kind != Kind::updated_parameter) return found == expected;
    const float gradient = numbers.gradient(first + i, operators);
    return Kokkos::abs(found - expected) <= numbers.tolerance * gradient;  // false for NaN
  }
};

}  // namespace ddproxy
