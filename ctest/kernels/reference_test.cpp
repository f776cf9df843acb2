// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "compare.hpp"
#include "ctest/folders.hpp"
#include "reference_model.hpp"

namespace ddproxy::reference {
namespace {

struct Case {
  char const* name;
  bool tied;
  Size batch, sequence;
};

class Reference : public testing::TestWithParam<Case> {
 protected:
  Reference() {
    shape_.tied = GetParam().tied;
    weights_ = formula_weights(shape_);
    step_ = formula_step(shape_, GetParam().batch, GetParam().sequence);
    gradients_ = gradients(shape_, weights_, step_);
  }

  model::Shape shape_ = model::find_preset("tiny");
  Tensors weights_;
  Step step_;
  Tensors gradients_;
};

/// Returns the direction of a finite difference: the sum of a unit vector along the gradient and a fixed
/// pattern. The unit vector shows a wrong scale of the gradient. The pattern has no zeros, so it shows a
/// single wrong element.
Array direction(Array const& gradient) {
  double norm = 0;
  for (const double g : gradient) norm += g * g;
  Array d(gradient.size());
  for (Size i = 0; i < d.size(); ++i)
    d[i] = gradient[i] / std::sqrt(norm) +
           std::cos(0.7 * static_cast<double>(i)) / std::sqrt(static_cast<double>(d.size()));
  return d;
}

double product(Array const& a, Array const& b) {
  double sum = 0;
  for (Size i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Returns the derivative of the loss along d, a direction of the parameter `name`, by finite differences of
/// fourth order.
double difference(model::Shape const& shape, Tensors weights, Step const& step, std::string const& name,
                  Array const& d) {
  constexpr double h = 2e-3;
  const Array start = weights.at(name);
  const auto at = [&](double distance) {
    for (Size i = 0; i < d.size(); ++i) weights[name][i] = start[i] + distance * d[i];
    return loss(shape, weights, step);
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

TEST_P(Reference, MatchesFiniteDifferences) {
  EXPECT_EQ(gradients_.size(), weights_.size());
  for (auto const& [name, gradient] : gradients_) {
    const Array d = direction(gradient);
    const double expected = difference(shape_, weights_, step_, name, d);
    EXPECT_NEAR(product(gradient, d) / expected, 1, 1e-6) << name;
  }
}

double quantity(Array const& gradient, std::string const& what) {
  if (what == "norm") return std::sqrt(product(gradient, gradient));
  if (what != "wave") return gradient.at(std::stoul(what));
  double sum = 0;
  for (Size i = 0; i < gradient.size(); ++i) sum += gradient[i] * std::cos(0.3 * static_cast<double>(i));
  return sum;
}

struct Row {
  std::string name, tensor, what;
  double value;
};

/// Returns the rows of golden.csv that belong to a case.
std::vector<Row> golden_rows(std::string const& name) {
  std::ifstream file(std::string(ddproxy::source_folder) + "/ctest/kernels/golden.csv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Row row;
    std::getline(fields, row.name, ',');
    std::getline(fields, row.tensor, ',');
    std::getline(fields, row.what, ',');
    if (row.name == name && fields >> row.value) rows.push_back(row);
  }
  return rows;
}

TEST_P(Reference, MatchesPyTorch) {
  const auto rows = golden_rows(GetParam().name);
  ASSERT_GT(rows.size(), 1000U);
  std::map<std::string, std::pair<Array, Array>> ours_and_theirs;
  for (auto const& row : rows) {
    auto& [ours, theirs] = ours_and_theirs[row.tensor];
    ours.push_back(row.tensor == "loss" ? loss(shape_, weights_, step_)
                                        : quantity(gradients_.at(row.tensor), row.what));
    theirs.push_back(row.value);
  }
  EXPECT_EQ(ours_and_theirs.size(), gradients_.size() + 1);
  for (auto const& [tensor, both] : ours_and_theirs)
    EXPECT_LT(relative_error(both.first, both.second), 1e-11) << tensor;
}

INSTANTIATE_TEST_SUITE_P(Tiny, Reference,
                         testing::Values(Case{"tied", true, 2, 24}, Case{"untied", false, 3, 32}),
                         [](auto const& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ddproxy::reference
