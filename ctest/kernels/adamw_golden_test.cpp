// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "ctest/folders.hpp"
#include "device.hpp"
#include "kernels/adamw.hpp"
#include "kernels/gradient_norm.hpp"

// Compares AdamW and clipping with what golden_adamw.py computed with PyTorch from the same gradients.
namespace ddproxy::kernels {
namespace {

constexpr std::size_t count = 256;
constexpr int steps = 6;
constexpr double tolerance = 1e-6;

/// The rows of a case: the parameters after steps 1, 2 and 6, and with clipping each step's gradient norm.
struct Golden {
  std::map<int, std::vector<double>> parameters;
  std::map<int, double> norms;
};

void keep(Golden& golden, int step, std::string const& element, double value) {
  if (element == "norm")
    golden.norms[step] = value;
  else
    golden.parameters[step].push_back(value);
}

Golden golden_rows(std::string const& name) {
  std::ifstream file(std::string(source_folder) + "/ctest/kernels/golden_adamw.csv");
  Golden golden;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string own, step, element, value;
    std::getline(fields, own, ',');
    std::getline(fields, step, ',');
    std::getline(fields, element, ',');
    if (own == name && std::getline(fields, value)) keep(golden, std::stoi(step), element, std::stod(value));
  }
  return golden;
}

/// Returns the gradients of golden_adamw.py. A float represents each of them exactly.
std::vector<double> gradients(unsigned step) {
  auto g = numbers(count, step + 10);
  for (std::size_t i = 0; i < count; ++i)
    g[i] = i % 11 == 3 ? 0 : std::ldexp(g[i], -3 * static_cast<int>(i % 7));
  return g;
}

/// Assigns the clipping factor and the norm of the gradients to result [2].
void clip(Floats const& gradient, double limit, Floats const& result) {
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(sum_of_squares_scratch(exec.concurrency())));
  const Kokkos::View<double*, Memory> sum("sum", 1);
  sum_of_squares(exec, static_cast<Index>(count), gradient.data(), SumMode::assign, sum.data(),
                 scratch.data());
  clip_factor(exec, 1, sum.data(), limit, {result.data(), result.data() + 1});
  exec.fence();
}

/// Returns the largest error of an element. The error is divided by the element or by the learning rate,
/// whichever is larger. Returns 1e30 if the sizes differ.
double largest_error(Floats const& got, std::vector<double> const& expected, double learning_rate) {
  const auto values = to_host(got);
  if (values.size() != expected.size()) return 1e30;
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]) /
                                std::max(std::abs(expected[i]), learning_rate));
  return worst;
}

void expect_golden(std::string const& name, AdamwSettings const& settings, std::optional<double> limit) {
  SCOPED_TRACE(name);
  const Golden golden = golden_rows(name);
  ASSERT_EQ(golden.parameters.size(), 3U);
  ASSERT_EQ(golden.norms.size(), limit ? static_cast<std::size_t>(steps) : 0U);
  const Floats p = to_space(numbers(count, 1)), m("m", count), v("v", count), factor = poisoned(2);
  for (int step = 1; step <= steps; ++step) {
    const Floats gradient = to_space(gradients(static_cast<unsigned>(step)));
    if (limit) {
      clip(gradient, *limit, factor);
      EXPECT_NEAR(static_cast<double>(to_host(factor)[1]) / golden.norms.at(step), 1, tolerance) << step;
    }
    adamw({}, static_cast<Index>(count), settings, step, {p.data(), gradient.data(), m.data(), v.data()},
          limit ? factor.data() : nullptr);
    Space().fence();
    if (const auto row = golden.parameters.find(step); row != golden.parameters.end()) {
      EXPECT_LT(largest_error(p, row->second, settings.learning_rate), tolerance) << step;
    }
  }
}

TEST(AdamwGolden, FollowsPyTorch) {
  expect_golden("defaults", {}, std::nullopt);
  expect_golden("fast", {1e-2, 0.8, 0.95, 1e-6, 0.1}, std::nullopt);
  expect_golden("no decay", {3e-4, 0.9, 0.95, 1e-8, 0}, std::nullopt);
}

TEST(AdamwGolden, FollowsPyTorchWithClippedGradients) {
  expect_golden("clipped", {1e-3, 0.9, 0.95, 1e-8, 0.1}, 0.5);
  expect_golden("not reached", {1e-3, 0.9, 0.95, 1e-8, 0.1}, 1e3);
}

}  // namespace
}  // namespace ddproxy::kernels
