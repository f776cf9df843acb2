// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "compare.hpp"
#include "device.hpp"
#include "reference_model.hpp"

namespace ddproxy {
namespace {

constexpr double tolerance = 1e-4;
constexpr std::uint32_t seed = 42;

/// Returns the elements of the tensor `name`. `flat` has all tensors of the model, in ready order.
std::vector<float> tensor(model::BackwardPass const& pass, std::vector<float> const& flat,
                          std::string const& name) {
  const auto slice = std::ranges::find(pass.gradients, name, &model::Gradient::name)->slice();
  return {flat.begin() + slice.offset, flat.begin() + slice.end()};
}

/// Runs a backward pass. Its arena contains NaN until the pass has written it.
struct StepOnKernels {
  explicit StepOnKernels(model::Shape const& s, model::Tokens t, int rank = 0)
      : shape(s),
        tokens(t),
        pass(model::backward_pass(s)),
        batch(draw_tokens(s, t, 1, seed + static_cast<std::uint32_t>(rank)).front()),
        arena(kernels::poisoned(static_cast<std::size_t>(model::parameters(pass)))),
        backward(s, pass, t, seed, rank, arena) {}

  std::vector<float> gradients() {
    for (std::size_t i = 0; i < backward.operations(); ++i) backward.run(i);
    backward.fence();
    return kernels::to_host(arena);
  }

  reference::Tensors expected() const {
    const auto weights = kernels::to_host(backward.parameters());
    reference::Tensors parameters;
    for (auto const& g : pass.gradients) {
      const auto values = tensor(pass, weights, g.name);
      parameters[g.name].assign(values.begin(), values.end());
    }
    const reference::Step step{static_cast<std::size_t>(tokens.batch),
                               static_cast<std::size_t>(tokens.sequence), batch.inputs, batch.targets};
    return reference::gradients(shape, parameters, step);
  }

  model::Shape shape;
  model::Tokens tokens;
  model::BackwardPass pass;
  TokenBatch batch;
  kernels::Floats arena;
  KernelBackward backward;
};

struct Case {
  char const* name;
  model::Shape shape;
  model::Tokens tokens;
};

model::Shape untied(model::Shape shape) {
  shape.tied = false;
  return shape;
}

const Case cases[] = {{"tiny", model::find_preset("tiny"), {1, 32}},
                      {"untied", untied(model::find_preset("tiny")), {2, 24}},
                      {"short", model::find_preset("tiny"), {1, 1}},
                      {"odd", {3, 60, 3, 100, 301, 70}, {3, 67}},
                      {"long_", {1, 40, 5, 90, 97, 140}, {1, 139}}};

class Gradients : public testing::TestWithParam<Case> {};

TEST_P(Gradients, MatchTheReference) {
  StepOnKernels run(GetParam().shape, GetParam().tokens);
  const auto flat = run.gradients();
  const auto expected = run.expected();
  ASSERT_EQ(expected.size(), run.pass.gradients.size());
  for (auto const& g : run.pass.gradients)
    EXPECT_LT(reference::relative_error(tensor(run.pass, flat, g.name), expected.at(g.name)), tolerance)
        << g.name;
}

TEST_P(Gradients, AreAssignedByEachPass) {
  StepOnKernels run(GetParam().shape, GetParam().tokens);
  const auto once = run.gradients();
  Kokkos::deep_copy(run.arena, 1e30F);
  const auto again = run.gradients();
  std::size_t different = 0;
  for (std::size_t i = 0; i < once.size(); ++i) different += once[i] != again[i];
  EXPECT_EQ(different, 0U);
}

TEST_P(Gradients, MatchTheReferenceAfterTheWeightsChange) {
  StepOnKernels run(GetParam().shape, GetParam().tokens);
  auto weights = kernels::to_host(run.backward.parameters());
  for (float& weight : weights) weight *= 1.5F;
  Kokkos::deep_copy(run.backward.parameters(), kernels::HostFloats(weights.data(), weights.size()));
  run.backward.renew();
  const auto flat = run.gradients();
  const auto expected = run.expected();
  for (auto const& g : run.pass.gradients)
    EXPECT_LT(reference::relative_error(tensor(run.pass, flat, g.name), expected.at(g.name)), tolerance)
        << g.name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Gradients, testing::ValuesIn(cases),
                         [](auto const& test) { return std::string(test.param.name); });

TEST(Gradients, APlantedWrongGradientIsFound) {
  StepOnKernels run(model::find_preset("tiny"), {1, 32});
  const auto flat = run.gradients();
  const auto expected = run.expected();
  for (auto const& g : run.pass.gradients) {
    auto one_wrong = tensor(run.pass, flat, g.name);
    auto const& truth = expected.at(g.name);
    const auto largest = std::max_element(truth.begin(), truth.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b); });
    one_wrong[static_cast<std::size_t>(largest - truth.begin())] *= 1.001F;
    EXPECT_GT(reference::relative_error(one_wrong, truth), tolerance) << g.name;
    auto slightly_scaled = tensor(run.pass, flat, g.name);
    for (float& value : slightly_scaled) value *= 1.0003F;
    EXPECT_GT(reference::relative_error(slightly_scaled, truth), tolerance) << g.name;
    auto not_written = tensor(run.pass, flat, g.name);
    not_written.back() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_GT(reference::relative_error(not_written, truth), tolerance) << g.name;
  }
}

TEST(Gradients, AnOperationThatIsLeftOutIsFound) {
  const model::Shape shape = model::find_preset("tiny");
  const auto expected = StepOnKernels(shape, {1, 32}).expected();
  const std::size_t operations = model::backward_pass(shape).operations.size();
  for (std::size_t left_out = 0; left_out < operations; ++left_out) {
    StepOnKernels(shape, {1, 32}, 1)
        .gradients();                   // other tokens: memory that is used again then holds other results
    StepOnKernels run(shape, {1, 32});  // new buffers, perhaps in the memory of the pass with other tokens
    for (std::size_t i = 0; i < operations; ++i)
      if (i != left_out) run.backward.run(i);
    run.backward.fence();
    const auto flat = kernels::to_host(run.arena);
    const auto wrong = std::ranges::count_if(run.pass.gradients, [&](auto const& g) {
      return reference::relative_error(tensor(run.pass, flat, g.name), expected.at(g.name)) > tolerance;
    });
    EXPECT_GT(wrong, 0) << run.pass.operations[left_out].name;
  }
}

TEST(KernelBackward, RanksShareTheWeightsButNotTheTokens) {
  const model::Shape shape = model::find_preset("tiny");
  StepOnKernels first(shape, {1, 32}, 0), second(shape, {1, 32}, 1);
  EXPECT_EQ(kernels::to_host(first.backward.parameters()), kernels::to_host(second.backward.parameters()));
  EXPECT_NE(first.gradients(), second.gradients());
}

TEST(KernelBackward, WeightsHaveTheDeviationsOfGpt2) {
  const StepOnKernels run(model::find_preset("tiny"), {1, 32});
  const auto table = tensor(run.pass, kernels::to_host(run.backward.parameters()), "wte.weight");
  double mean = 0, square = 0;
  for (const float w : table) {
    mean += static_cast<double>(w) / static_cast<double>(table.size());
    square += static_cast<double>(w) * static_cast<double>(w) / static_cast<double>(table.size());
  }
  EXPECT_NEAR(mean, 0, 6e-4);  // four standard deviations of the mean
  EXPECT_NEAR(std::sqrt(square), 0.02, 3e-4);
}

TEST(KernelBackward, RefusesAnArenaOfAnotherSize) {
  const model::Shape shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  EXPECT_THROW(KernelBackward(shape, pass, {1, 16}, 1, 0, kernels::Floats("arena", 7)),
               std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy
