// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ctest/miniapp/step_run.hpp"

// Compares the gradients of whole steps with finite differences of the loss. The kernels compute the loss in
// fp32, so the differences are accurate to about three digits.
namespace ddproxy {
namespace {

/// Multiplies all weights except those of norms by 10, so that every part of the model affects the loss.
void enlarge_weights(StepRun& step, model::BackwardPass const& pass) {
  for (std::size_t t = 0; t < pass.gradients.size(); ++t) {
    if (pass.operations[pass.gradients[t].operation].kind == model::OperationKind::norm) continue;
    for (float& weight : step.parameters().subspan(pass.gradients[t].offset, pass.gradients[t].slice().count))
      weight *= 10;
  }
}

/// Returns the derivative of the loss along the direction `d`, which has one number for each weight. Computes
/// it by finite differences of fourth order. Restores the weights.
double difference(StepRun& step, std::span<float> weights, std::vector<double> const& d) {
  constexpr double h = 0.03;
  const std::vector<float> start(weights.begin(), weights.end());
  const auto at = [&](double distance) {
    for (std::size_t i = 0; i < d.size(); ++i)
      weights[i] = static_cast<float>(static_cast<double>(start[i]) + distance * d[i]);
    step.run();
    return step.mean_loss();
  };
  const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  std::ranges::copy(start, weights.begin());
  return slope;
}

/// Returns the indices of the four elements with the largest gradients (in absolute value), and of some
/// others.
std::vector<std::size_t> some_elements(std::vector<float> const& gradient) {
  std::vector<std::size_t> order(gradient.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return std::abs(gradient[i]); });
  std::vector<std::size_t> some;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                  order.size() / 7, order.size() / 3, order.size() / 2, order.size() - 1})
    if (place < order.size()) some.push_back(order[place]);
  return some;
}

/// Checks the gradient of one tensor along a direction to which every element contributes, unless the
/// gradient is rounding noise. On one rank, also checks some single elements.
void expect_gradient(StepRun& step, std::vector<float> const& gradient, Slice slice) {
  const auto weights = step.parameters().subspan(slice.offset, slice.count);
  double square = 0, largest = 0;
  for (const float g : gradient) {
    square += static_cast<double>(g) * static_cast<double>(g);
    largest = std::max(largest, std::abs(static_cast<double>(g)));
  }
  std::vector<double> d(gradient.size());
  double expected = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = gradient[i] / std::sqrt(square) +
           0.3 * std::cos(0.7 * static_cast<double>(i)) / std::sqrt(static_cast<double>(d.size()));
    expected += static_cast<double>(gradient[i]) * d[i];
  }
  if (largest > 1e-5) {
    EXPECT_NEAR(difference(step, weights, d) / expected, 1, 3e-3);
  }
  if (test_runtime->ranks() > 1) return;  // several ranks would wait for each other most of the time
  for (const std::size_t i : some_elements(gradient)) {
    std::vector<double> one(gradient.size());
    one[i] = 1;
    EXPECT_NEAR(difference(step, weights, one), static_cast<double>(gradient[i]), 3e-3 * largest + 3e-5) << i;
  }
}

void expect_gradients(StepCase const& c) {
  const auto pass = model::backward_pass(c.shape);
  StepRun step(c);
  enlarge_weights(step, pass);
  step.run();
  const std::vector<float> gradients(step.gradients().begin(), step.gradients().end());
  for (std::size_t t = 0; t < pass.gradients.size(); ++t) {
    SCOPED_TRACE(pass.gradients[t].name);
    expect_gradient(step, step.tensor(gradients, pass.gradients[t].name), pass.gradients[t].slice());
  }
}

TEST(StepDifferences, EqualTheGradientsOfALlamaModel) {
  const model::Shape shape = small_llama();
  expect_gradients({shape, {1, 16}, {.ddp = {.plan = plan_of(shape, 0)}, .micro_batches = 2}});
}

TEST(StepDifferences, EqualTheGradientsOfMixedModels) {
  for (auto const& shape : mixed_models())
    expect_gradients({shape, {2, 11}, {.ddp = {.plan = plan_of(shape, 0)}}});
}

}  // namespace
}  // namespace ddproxy
