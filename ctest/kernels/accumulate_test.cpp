// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/embedding.hpp"
#include "kernels/linear.hpp"
#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "kernels/norm/row_sum.hpp"
#include "kernels/scale.hpp"

// Gradients of parameters are assigned in the first micro-batch and added in the others. Both modes must
// compute the same values.
namespace ddproxy::kernels {
namespace {

constexpr Index rows = 37, in = 24, out = 40;

Floats array(std::size_t count, unsigned stream) {
  return to_space(numbers(count, stream));
}
std::size_t size(Index a, Index b = 1) {
  return static_cast<std::size_t>(a * b);
}

/// Calls `compute` with `assign` on an array of NaN, and with `add` on an array of numbers. Expects that the
/// second result is these numbers plus the first result.
void expect_added(std::size_t count, std::function<void(float*, SumMode)> const& compute) {
  const Floats assigned = poisoned(count);
  compute(assigned.data(), SumMode::assign);
  const auto start = numbers(count, 99);
  const Floats added = to_space(start);
  compute(added.data(), SumMode::add);
  Space().fence();
  const auto each = to_host(assigned);
  std::vector<double> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = start[i] + static_cast<double>(each[i]);
  EXPECT_LT(reference::relative_error(to_host(added), expected), 1e-6);
}

struct Accumulate : testing::Test {
  Space exec;
  Floats scratch = poisoned(100000);
  Floats x = array(size(rows, in), 1), dy = array(size(rows, out), 2), weight = array(size(in, out), 3);
  Floats dx = poisoned(size(rows, in)), bias = poisoned(size(out)), other = poisoned(size(in, out));
};

TEST_F(Accumulate, GradientsOfLinearMapsAreAdded) {
  const LinearSize linear{rows, in, out};
  const auto run = [&](LinearGradients const& gradients) {
    linear_backward(exec, linear, x.data(), weight.data(), dy.data(), gradients, scratch.data());
  };
  expect_added(size(in, out), [&](float* to, SumMode mode) { run({bias.data(), to, dx.data(), mode}); });
  expect_added(size(out), [&](float* to, SumMode mode) {
    run({to, other.data(), dx.data(), mode});
    if (mode == SumMode::assign) Kokkos::deep_copy(other, 0.0F);
  });
  expect_added(size(rows, in), [&](float* to, SumMode mode) {
    run({nullptr, other.data(), to, SumMode::assign, mode});
  });
}

TEST_F(Accumulate, TheGradientOfTheHeadIsAdded) {
  expect_added(size(out, in), [&](float* to, SumMode mode) {
    head_backward(exec, {rows, in, out}, x.data(), weight.data(), dy.data(), to, dx.data(), mode);
  });
}

TEST_F(Accumulate, SumsOfRowsAreAdded) {
  expect_added(size(out), [&](float* to, SumMode mode) {
    row_sum(exec, rows, out, dy.data(), to, scratch.data(), mode);
  });
}

TEST_F(Accumulate, GradientsOfNormsAreAdded) {
  const Floats mean = array(size(rows), 4), rstd = array(size(rows), 5), gradient = array(size(rows, in), 6);
  for (const bool with_bias : {true, false})
    expect_added(size(in), [&](float* to, SumMode mode) {
      Kokkos::deep_copy(dx, 0.0F);
      layernorm_backward(exec, rows, in, x.data(), {mean.data(), rstd.data()}, weight.data(), gradient.data(),
                         {to, with_bias ? bias.data() : nullptr, dx.data(), mode}, scratch.data());
    });
  expect_added(size(in), [&](float* to, SumMode mode) {
    Kokkos::deep_copy(dx, 0.0F);
    layernorm_backward(exec, rows, in, x.data(), {mean.data(), rstd.data()}, weight.data(), gradient.data(),
                       {bias.data(), to, dx.data(), mode}, scratch.data());
  });
  expect_added(size(in), [&](float* to, SumMode mode) {
    Kokkos::deep_copy(dx, 0.0F);
    rmsnorm_backward(exec, rows, in, x.data(), rstd.data(), weight.data(), gradient.data(),
                     {to, dx.data(), mode}, scratch.data());
  });
}

TEST_F(Accumulate, TheGradientOfThePositionTableIsAdded) {
  constexpr Index batch = 3, sequence = 5, context = 9;
  const Floats d = array(size(batch * sequence, in), 7);
  expect_added(size(context, in), [&](float* to, SumMode mode) {
    position_backward(exec, {batch, sequence, in}, context, d.data(), to, mode);
  });
}

TEST(Layernorm, WithoutABiasGivesTheSameAsWithAZeroBias) {
  const Floats x = array(size(rows, in), 1), weight = array(size(in), 2), zero("zero", size(in));
  const Floats with = poisoned(x.size()), without = poisoned(x.size()), mean = poisoned(size(rows)),
               rstd = poisoned(size(rows));
  layernorm_forward({}, rows, in, x.data(), weight.data(), zero.data(), with.data(),
                    {mean.data(), rstd.data()});
  layernorm_forward({}, rows, in, x.data(), weight.data(), nullptr, without.data(),
                    {mean.data(), rstd.data()});
  Space().fence();
  const auto expected = to_host(with);
  EXPECT_LT(
      reference::relative_error(to_host(without), std::vector<double>(expected.begin(), expected.end())),
      1e-6);
}

TEST(Scale, MultipliesEachElement) {
  const Floats x = to_space({1, -2, 3}), factor = to_space({0.5});
  scale({}, 2, factor.data(), x.data());
  Space().fence();
  EXPECT_EQ(to_host(x), (std::vector<float>{0.5F, -1, 3}));
}

}  // namespace
}  // namespace ddproxy::kernels
