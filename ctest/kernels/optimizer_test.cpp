// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/adamw.hpp"
#include "kernels/gradient_norm.hpp"

namespace ddproxy::kernels {
namespace {

using Doubles = Kokkos::View<double*, Memory>;

std::vector<double> doubles_on_host(Doubles const& values) {
  std::vector<double> copy(values.size());
  Kokkos::deep_copy(Kokkos::View<double*, Kokkos::HostSpace>(copy.data(), copy.size()), values);
  return copy;
}

/// Computes AdamW in double, with the equations in the documentation of torch.optim.AdamW.
struct Reference {
  AdamwSettings settings;
  std::vector<double> p, m, v;
  int step = 0;

  void update(std::vector<double> const& gradient, double scale) {
    ++step;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double g = scale * gradient[i];
      p[i] -= settings.learning_rate * settings.weight_decay * p[i];
      m[i] = settings.beta1 * m[i] + (1 - settings.beta1) * g;
      v[i] = settings.beta2 * v[i] + (1 - settings.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(settings.beta1, step));
      const double square = v[i] / (1 - std::pow(settings.beta2, step));
      p[i] -= settings.learning_rate * mean / (std::sqrt(square) + settings.epsilon);
    }
  }
};

/// Returns the largest error of an element, relative to its size.
double largest_error(Floats const& got, std::vector<double> const& expected,
                     std::vector<double> const& sizes) {
  const auto values = to_host(got);
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]) / sizes[i]);
  return worst;
}

/// Raises each size to the absolute value of its element, if that is larger.
void raise_sizes(std::vector<double>& sizes, std::vector<double> const& values) {
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::max(sizes[i], std::abs(values[i]));
}

/// Returns the gradients of step `step`. Their sizes span six orders of magnitude. Some are 0.
std::vector<double> gradients(std::size_t count, unsigned step) {
  auto g = numbers(count, step + 10);
  for (std::size_t i = 0; i < count; ++i)
    g[i] = static_cast<float>(i % 11 == 3 ? 0 : g[i] * std::pow(10.0, -static_cast<double>(i % 7)));
  return g;
}

/// Compares several updates with the reference. The error of a parameter is relative to its size: its largest
/// absolute value in all steps, and at least the learning rate. The reason: each update rounds the parameter,
/// the rounding error is proportional to the value at that time, and the value may become much smaller later.
void check_adamw(std::size_t count, AdamwSettings const& settings, double const* scale) {
  SCOPED_TRACE(testing::Message() << count << " parameters, scale " << (scale ? *scale : 1));
  constexpr unsigned steps = 6;
  Reference expected{settings, numbers(count, 1), std::vector<double>(count), std::vector<double>(count)};
  const Floats p = to_space(expected.p), m = to_space(expected.m), v = to_space(expected.v);
  const Floats factor = to_space({scale ? *scale : 1});
  std::vector<double> sizes(count, settings.learning_rate);
  raise_sizes(sizes, expected.p);
  for (unsigned step = 1; step <= steps; ++step) {
    const auto g = gradients(count, step);
    const Floats gradient = to_space(g);
    adamw({}, static_cast<Index>(count), settings, step, {p.data(), gradient.data(), m.data(), v.data()},
          scale ? factor.data() : nullptr);
    Space().fence();
    expected.update(g, scale ? *scale : 1);
    raise_sizes(sizes, expected.p);
  }
  EXPECT_LT(largest_error(p, expected.p, sizes), 1e-6);
  EXPECT_LT(reference::relative_error(to_host(m), expected.m), 1e-6);
  EXPECT_LT(reference::relative_error(to_host(v), expected.v), 1e-6);
}

TEST(Adamw, MatchesTheReferenceForSeveralSteps) {
  const double scales[] = {0.25, 1.0 / 1024};
  for (const std::size_t count : {1, 7, 1003, 16384, 50001}) {
    check_adamw(count, {}, nullptr);
    check_adamw(count, {1e-2, 0.8, 0.95, 1e-6, 0.1}, &scales[0]);
    check_adamw(count, {3e-4, 0.9, 0.95, 1e-8, 0}, &scales[1]);
  }
}

TEST(Adamw, UpdatesOnlyTheGivenPartOfTheParameters) {
  const Floats p = to_space({1, 2, 3, 4}), g = to_space({1, 1, 1, 1}), m = to_space({0, 0, 0, 0}),
               v = to_space({0, 0, 0, 0});
  adamw({}, 2, {}, 1, {p.data() + 1, g.data() + 1, m.data() + 1, v.data() + 1}, nullptr);
  Space().fence();
  const auto after = to_host(p);
  EXPECT_EQ(after[0], 1);
  EXPECT_NEAR(after[1], 2 * (1 - 1e-5) - 1e-3, 1e-6);
  EXPECT_NEAR(after[2], 3 * (1 - 1e-5) - 1e-3, 1e-6);
  EXPECT_EQ(after[3], 4);
}

double squares_of(Floats const& x, Index count) {
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(sum_of_squares_scratch(exec.concurrency())));
  const Doubles sum("sum", 1);
  Kokkos::deep_copy(sum, -1e9);
  sum_of_squares(exec, count, x.data(), SumMode::assign, sum.data(), scratch.data());
  exec.fence();
  return doubles_on_host(sum).front();
}

TEST(SumOfSquares, MatchesTheReference) {
  for (const std::size_t count : {1, 2, 7, 255, 257, 100003}) {
    const auto values = numbers(count, 1);
    double expected = 0;
    for (const double each : values) expected += each * each;
    EXPECT_NEAR(squares_of(to_space(values), static_cast<Index>(count)) / expected, 1, 1e-12) << count;
  }
  EXPECT_EQ(squares_of(to_space({3}), 0), 0);
}

// If the elements were added one by one in float, the error would be 8e-2 here. With more elements such a sum
// stops growing.
TEST(SumOfSquares, OfManyEqualElementsIsRightToTenDigits) {
  constexpr Index count = 20'000'003;
  const Floats x("x", static_cast<std::size_t>(count));
  Kokkos::deep_copy(x, 0.1F);
  const double each = static_cast<double>(0.1F);
  EXPECT_NEAR(squares_of(x, count) / (each * each * static_cast<double>(count)), 1, 1e-10);
}

TEST(SumOfSquares, GivesTheSameBitsInEachCall) {
  const Floats x = to_space(numbers(300'007, 1));
  const double first = squares_of(x, 300'007);
  for (int again = 0; again < 5; ++again) EXPECT_EQ(squares_of(x, 300'007), first);
}

TEST(SumOfSquares, DoesNotOverflowIfAFloatWould) {
  EXPECT_NEAR(squares_of(to_space({3e20, -4e20}), 2) / 25e40, 1, 1e-6);
}

/// Returns the two results of clip_factor(), factor and norm, for the gradients in the arrays a and b
/// together.
std::vector<float> clipped(std::vector<double> const& a, std::vector<double> const& b, double clip) {
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(sum_of_squares_scratch(exec.concurrency())));
  const Floats left = to_space(a), right = to_space(b), result = poisoned(2);
  const Doubles sums("sums", 1);
  sum_of_squares(exec, static_cast<Index>(a.size()), left.data(), SumMode::assign, sums.data(),
                 scratch.data());
  sum_of_squares(exec, static_cast<Index>(b.size()), right.data(), SumMode::add, sums.data(), scratch.data());
  clip_factor(exec, 1, sums.data(), clip, {result.data(), result.data() + 1});
  exec.fence();
  return to_host(result);
}

TEST(ClipFactor, LimitsTheNormOfAllParts) {
  const auto small = clipped({3, 0, 0}, {4}, 10);
  EXPECT_EQ(small[0], 1);
  EXPECT_NEAR(small[1], 5, 5e-7);
  const auto large = clipped({300, 0, 0}, {400}, 1);
  EXPECT_NEAR(large[0] / (1 / (500 + 1e-6)), 1, 1e-6);
  EXPECT_NEAR(large[1], 500, 5e-5);
}

// torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm.
TEST(ClipFactor, AddsAMillionthToTheNorm) {
  EXPECT_NEAR(clipped({1e-6}, {0}, 1e-6)[0], 0.5, 1e-6);
  EXPECT_EQ(clipped({0}, {0}, 1)[0], 1);
}

TEST(ClipFactor, AddsSeveralSums) {
  const Doubles sums("sums", 3);
  Kokkos::deep_copy(sums, 12.0);
  const Floats norm = poisoned(1);
  clip_factor({}, 3, sums.data(), 1, {nullptr, norm.data()});
  Space().fence();
  EXPECT_NEAR(to_host(norm).front(), 6, 1e-6);
}

}  // namespace
}  // namespace ddproxy::kernels
