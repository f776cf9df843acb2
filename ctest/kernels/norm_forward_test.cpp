// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm_forward.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/layernorm.hpp"
#include "reference.hpp"

// Compares both implementations of the norms' forward passes with loops in double precision. Those for
// devices run on hosts, too.
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

// One element; fewer columns than a vector; a chunk of columns (kernels/row_passes.hpp) and one column more;
// rows that are handled alone and in groups, with a group that is not full.
constexpr Size sizes[] = {{1, 1}, {3, 5}, {2, 64}, {2, 65}, {5, 331}, {6, 1280}, {7, 2311}, {9, 4096}};

Index index(std::size_t value) {
  return static_cast<Index>(value);
}

/// Random inputs of a norm. `offset` is added to x.
struct Inputs {
  Inputs(Size s, double offset)
      : size(s),
        x(numbers(s.rows * s.columns, 1)),
        weight(numbers(s.columns, 2)),
        bias(numbers(s.columns, 3)) {
    for (double& each : x) each = static_cast<float>(each + offset);
  }

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

// A variance from the mean of the squares less the square of the mean would have an error of about 1e-3 here.
TEST(NormForward, LayernormIsAccurateFarFromZero) {
  constexpr double offset = 100, accuracy = 1e-4;
  for (auto const& way : implementations()) {
    const Size size{5, 4096};
    const Inputs in(size, offset);
    const Floats y = poisoned(in.x.size()), mean = poisoned(size.rows), rstd = poisoned(size.rows);
    way.layernorm(Space(), in.forward(true), y.data(), {mean.data(), rstd.data()});
    Space().fence();
    EXPECT_LT(reference::relative_error(
                  to_host(y), reference::layernorm(size.rows, size.columns, in.x, in.weight, in.bias)),
              accuracy);
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
