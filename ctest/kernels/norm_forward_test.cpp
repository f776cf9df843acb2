// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/norm_forward.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/norm/layernorm.hpp"
#include "reference.hpp"

// Compares both implementations of the norms' forward passes with loops in double precision. The
// implementation for devices is also tested on hosts.
namespace ddproxy::kernels {
namespace {

constexpr double tolerance = 2e-6;

using Doubles = std::vector<double>;

struct Implementation {
  void (*layernorm)(Space const&, NormForward const&, float*, RowStatistics);
  void (*rmsnorm)(Space const&, NormForward const&, float*, float*);
};

std::vector<Implementation> implementations() {
  std::vector<Implementation> all{{devices::layernorm_forward, devices::rmsnorm_forward}};
  if constexpr (!on_device) all.push_back({hosts::layernorm_forward, hosts::rmsnorm_forward});
  return all;
}

struct Size {
  std::size_t rows, columns;
};

// In this order: one element; fewer columns than a vector; columns_at_once columns (row_passes.hpp; 64 with
// AVX-512) and one column more; narrow rows, each written alone (331 and 1280 columns); wide rows, written in
// groups of four rows, of which the last group has fewer rows (2311 and 4096 columns).
constexpr Size sizes[] = {{1, 1}, {3, 5}, {2, 64}, {2, 65}, {5, 331}, {6, 1280}, {7, 2311}, {9, 4096}};

Index index(std::size_t value) {
  return static_cast<Index>(value);
}

/// Returns random numbers around `offset` that float represents exactly.
Doubles numbers_around(double offset, std::size_t count) {
  Doubles values = numbers(count, 1);
  for (double& each : values) each = static_cast<float>(each + offset);
  return values;
}

/// Random inputs of a norm.
struct Inputs {
  Inputs(Size s, double offset)
      : size(s),
        x(numbers_around(offset, s.rows * s.columns)),
        weight(numbers(s.columns, 2)),
        bias(numbers(s.columns, 3)) {}

  NormForward forward(bool with_bias) const {
    return {index(size.rows), index(size.columns), on_space.data(), weight_on_space.data(),
            with_bias ? bias_on_space.data() : nullptr};
  }

  Size size;
  Doubles x, weight, bias;
  Floats on_space = to_space(x), weight_on_space = to_space(weight), bias_on_space = to_space(bias);
};

TEST(NormForward, LayernormMatchesTheReference) {
  for (auto const& way : implementations())
    for (auto const size : sizes)
      for (const bool with_bias : {true, false}) {
        SCOPED_TRACE(testing::Message() << size.rows << " x " << size.columns);
        const Inputs in(size, 0.25);
        const Floats y = poisoned(in.x.size()), mean = poisoned(size.rows), rstd = poisoned(size.rows);
        way.layernorm(Space(), in.forward(with_bias), y.data(), {mean.data(), rstd.data()});
        Space().fence();
        const Doubles bias = with_bias ? in.bias : Doubles(size.columns);
        EXPECT_LT(reference::relative_error(
                      to_host(y), reference::layernorm(size.rows, size.columns, in.x, in.weight, bias)),
                  tolerance);
      }
}

TEST(NormForward, LayernormKeepsTheStatisticsOfEachRow) {
  for (auto const& way : implementations())
    for (auto const [rows, columns] : sizes) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      const Inputs in({rows, columns}, 0.25);
      Doubles mean(rows), rstd(rows);
      for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0, squares = 0;
        for (std::size_t c = 0; c < columns; ++c) sum += in.x[r * columns + c];
        mean[r] = sum / static_cast<double>(columns);
        for (std::size_t c = 0; c < columns; ++c) squares += std::pow(in.x[r * columns + c] - mean[r], 2);
        rstd[r] = 1 / std::sqrt(squares / static_cast<double>(columns) + layernorm_epsilon);
      }
      const Floats y = poisoned(in.x.size()), kept_mean = poisoned(rows), kept_rstd = poisoned(rows);
      way.layernorm(Space(), in.forward(true), y.data(), {kept_mean.data(), kept_rstd.data()});
      Space().fence();
      EXPECT_LT(reference::relative_error(to_host(kept_mean), mean), tolerance);
      EXPECT_LT(reference::relative_error(to_host(kept_rstd), rstd), tolerance);
    }
}

// Builds with sanitizers add the numbers of a row one after another, without vectors. The errors of these
// sums are larger: 1.7e-4 and 2.1e-5 in the two tests below.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double more_rounding = 3;
#else
constexpr double more_rounding = 1;
#endif

void expect_accurate(Implementation const& way, Inputs const& in, double accuracy) {
  const Floats y = poisoned(in.x.size()), mean = poisoned(in.size.rows), rstd = poisoned(in.size.rows);
  way.layernorm(Space(), in.forward(true), y.data(), {mean.data(), rstd.data()});
  Space().fence();
  EXPECT_LT(reference::relative_error(
                to_host(y), reference::layernorm(in.size.rows, in.size.columns, in.x, in.weight, in.bias)),
            accuracy)
      << in.size.columns << " columns";
}

// If the variance were the mean of the squares minus the squared mean, the error would be about 1e-3 here.
TEST(NormForward, LayernormIsAccurateFarFromZero) {
  for (auto const& way : implementations())
    for (const std::size_t columns : {1280U, 4096U})
      expect_accurate(way, Inputs({5, columns}, 100), 1e-4 * more_rounding);
}

// The first element is far from the mean of its row, and the others lie close together. If the variance were
// computed from the differences from the first element, it would lose three digits.
TEST(NormForward, LayernormIsAccurateIfTheFirstElementIsFarFromTheMean) {
  for (auto const& way : implementations())
    for (const std::size_t columns : {2048U, 4096U}) {
      Inputs in({5, columns}, 0);
      for (std::size_t i = 0; i < in.x.size(); ++i) in.x[i] = i % columns == 0 ? 3 : 100 + in.x[i] / 4;
      for (double& each : in.x) each = static_cast<float>(each);
      in.on_space = to_space(in.x);
      expect_accurate(way, in, 1e-5 * more_rounding);
    }
}

TEST(NormForward, RmsnormMatchesTheReference) {
  for (auto const& way : implementations())
    for (auto const size : sizes) {
      SCOPED_TRACE(testing::Message() << size.rows << " x " << size.columns);
      const Inputs in(size, 0.25);
      const Floats y = poisoned(in.x.size()), inverse_rms = poisoned(size.rows);
      way.rmsnorm(Space(), in.forward(false), y.data(), inverse_rms.data());
      Space().fence();
      EXPECT_LT(
          reference::relative_error(to_host(y), reference::rmsnorm(size.rows, size.columns, in.x, in.weight)),
          tolerance);
      for (const float kept : to_host(inverse_rms)) EXPECT_TRUE(kept > 0 && kept < 1e3F) << kept;
    }
}

}  // namespace
}  // namespace ddproxy::kernels
