// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "reference.hpp"

// Compares the gradients of the reference loops with finite differences of their forward pass, in double.
namespace ddproxy::reference {
namespace {

Array waves(Size count, double frequency) {
  Array values(count);
  for (Size i = 0; i < count; ++i) values[i] = 1.5 * std::cos(frequency * static_cast<double>(i) + 0.3);
  return values;
}

/// Compares gradient[i] with the derivative of s with respect to x[i], where s is the sum of dy[j] y[j] over
/// j, and y = forward(x). Computes the derivative by finite differences of fourth order.
template <class Forward>
void expect_derivative(Array x, Array const& dy, Array const& gradient, Forward const& forward) {
  constexpr double h = 1e-3;
  ASSERT_EQ(gradient.size(), x.size());
  const auto objective = [&] {
    const Array y = forward(x);
    double sum = 0;
    for (Size j = 0; j < y.size(); ++j) sum += dy.at(j) * y[j];
    return sum;
  };
  for (Size i = 0; i < x.size(); ++i) {
    const double start = x[i];
    const auto at = [&](double distance) {
      x[i] = start + distance;
      return objective();
    };
    const double derivative = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    x[i] = start;
    EXPECT_NEAR(gradient[i], derivative, 1e-8) << "element " << i;
  }
}

TEST(ReferenceLlama, RmsnormMatchesFiniteDifferences) {
  constexpr Size rows = 3, columns = 7;
  const Array x = waves(rows * columns, 1.7), w = waves(columns, 0.9), dy = waves(rows * columns, 2.3);
  const LinearGradients d = rmsnorm_backward(rows, columns, x, w, dy);
  expect_derivative(x, dy, d.x, [&](Array const& at) { return rmsnorm(rows, columns, at, w); });
  expect_derivative(w, dy, d.weight, [&](Array const& at) { return rmsnorm(rows, columns, x, at); });
}

TEST(ReferenceLlama, SwigluMatchesFiniteDifferences) {
  const Array gate = waves(31, 1.7), up = waves(31, 0.9), dy = waves(31, 2.3);
  const SwigluGradients d = swiglu_backward(gate, up, dy);
  expect_derivative(gate, dy, d.gate, [&](Array const& at) { return swiglu(at, up); });
  expect_derivative(up, dy, d.up, [&](Array const& at) { return swiglu(gate, at); });
}

TEST(ReferenceLlama, TheGradientOfARotationIsItsInverse) {
  constexpr Size sequence = 5, heads = 2, head_size = 6;
  const Array x = waves(2 * sequence * heads * head_size, 1.7), dy = waves(x.size(), 2.3);
  const auto forward = [](Array const& at) { return rope(sequence, heads, head_size, 1e4, at, 1); };
  expect_derivative(x, dy, rope(sequence, heads, head_size, 1e4, dy, -1), forward);
}

TEST(ReferenceLlama, GroupedQueryAttentionMatchesFiniteDifferences) {
  for (const Size kv_heads : {Size{1}, Size{2}, Size{4}}) {
    const AttentionSize size{2, 3, 4, 2, kv_heads};
    const Array qkv = waves(size.batch * size.sequence * (size.heads + 2 * kv_heads) * size.head_size, 1.7);
    const Array dout = waves(size.batch * size.sequence * size.heads * size.head_size, 2.3);
    SCOPED_TRACE(testing::Message() << kv_heads << " heads of keys and values");
    expect_derivative(qkv, dout, attention_backward(size, qkv, dout),
                      [&](Array const& at) { return attention(size, at); });
  }
}

}  // namespace
}  // namespace ddproxy::reference
