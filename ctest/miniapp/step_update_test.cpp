// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ctest/miniapp/step_run.hpp"

// Compares the optimizer of whole steps with loops in double that use the gradients of the step.
namespace ddproxy {
namespace {

/// AdamW in double, as the documentation of torch.optim.AdamW writes it.
struct Adamw {
  kernels::AdamwSettings settings;
  std::vector<double> p, m, v;
  int step = 0;

  Adamw(kernels::AdamwSettings const& with, std::span<const float> start)
      : settings(with), p(start.begin(), start.end()), m(p.size()), v(p.size()) {}

  void update(std::span<const float> gradients, double scale) {
    ++step;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double g = scale * static_cast<double>(gradients[i]);
      p[i] -= settings.learning_rate * settings.weight_decay * p[i];
      m[i] = settings.beta1 * m[i] + (1 - settings.beta1) * g;
      v[i] = settings.beta2 * v[i] + (1 - settings.beta2) * g * g;
      const double mean = m[i] / (1 - std::pow(settings.beta1, step));
      const double square = v[i] / (1 - std::pow(settings.beta2, step));
      p[i] -= settings.learning_rate * mean / (std::sqrt(square) + settings.epsilon);
    }
  }
};

/// Returns the largest error of an element, relative to the larger of its expected absolute value and
/// `floor`. Returns 1e30 if the lengths differ or an element of `got` is not finite.
double largest_error(std::span<const float> got, std::vector<double> const& expected, double floor) {
  if (got.size() != expected.size()) return 1e30;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
    worst = std::max(worst, std::isfinite(error) ? error / std::max(std::abs(expected[i]), floor) : 1e30);
  }
  return worst;
}

double norm_of(std::span<const float> gradients) {
  double sum = 0;
  for (const float g : gradients) sum += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(sum);
}

StepCase training(model::Shape const& shape) {
  return {shape,
          {2, 13},
          {.ddp = {.plan = plan_of(shape)}, .micro_batches = 2, .optimizer = model::Optimizer::adamw},
          std::nullopt,
          {.learning_rate = 3e-3, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .weight_decay = 0.1}};
}

void expect_updates(StepCase const& c) {
  StepRun step(c);
  Adamw expected(c.optimizer, step.parameters());
  for (int number = 1; number <= 3; ++number) {
    step.run();
    const double norm = norm_of(step.gradients());
    const double scale = c.clip ? std::min(1.0, *c.clip / (norm + 1e-6)) : 1;
    if (c.clip) {
      EXPECT_NEAR(static_cast<double>(step.lane->norm()) / norm, 1, 1e-6);
    }
    expected.update(step.gradients(), scale);
    EXPECT_LT(largest_error(step.parameters(), expected.p, c.optimizer.learning_rate), 1e-6) << number;
  }
}

TEST(StepUpdate, AgreesWithALoopInDoublePrecision) {
  for (auto const& shape : {model::find_preset("tiny"), small_llama()}) expect_updates(training(shape));
}

TEST(StepUpdate, ClipsByTheNormOfAllGradients) {
  for (auto const& shape : {model::find_preset("tiny"), small_llama()}) {
    StepCase c = training(shape);
    StepRun unclipped(c);
    unclipped.run();
    const double norm = norm_of(unclipped.gradients());
    c.strategy.clipped = true;
    for (const double share : {0.3, 3.0}) {
      c.clip = share * norm;
      expect_updates(c);
    }
  }
}

TEST(StepUpdate, ClipsGradientsInPlaceWithoutAnOptimizer) {
  const model::Shape shape = small_llama();
  StepCase c{shape, {2, 13}, {.ddp = {.plan = plan_of(shape)}}};
  StepRun plain(c);
  plain.run();
  const double norm = norm_of(plain.gradients());
  c.strategy.clipped = true;
  c.clip = norm / 4;
  StepRun clipped(c);
  clipped.run();
  std::vector<double> expected(plain.gradients().begin(), plain.gradients().end());
  for (double& each : expected) each *= *c.clip / (norm + 1e-6);
  EXPECT_LT(largest_error(clipped.gradients(), expected, 1e-30), 1e-6);
  EXPECT_NEAR(norm_of(clipped.gradients()) / *c.clip, 1, 1e-4);  // clipping divides by norm + 1e-6
}

TEST(StepUpdate, LowersTheLossOfItsOwnTokens) {
  StepRun step(training(small_llama()));
  step.run();
  const double before = step.mean_loss();
  for (int number = 0; number < 10; ++number) step.run();
  EXPECT_LT(step.mean_loss(), before - 0.1);
}

TEST(StepUpdate, AllRanksKeepTheSameParameters) {
  StepRun step(training(small_llama()));
  for (int number = 0; number < 3; ++number) step.run();
  std::vector<float> first(step.parameters().begin(), step.parameters().end());
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_FLOAT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(different(step.parameters(), first), 0U);
}

TEST(StepUpdate, InitialiseRestartsTheTraining) {
  StepRun step(training(small_llama()));
  step.run();
  const std::vector<float> first(step.parameters().begin(), step.parameters().end());
  step.run();
  EXPECT_GT(different(step.parameters(), first), 0U);
  step.lane->initialise(step_seed);
  step.run();
  EXPECT_EQ(different(step.parameters(), first), 0U);
}

}  // namespace
}  // namespace ddproxy
