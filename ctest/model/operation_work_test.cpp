// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/operation_work.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "ctest/folders.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

constexpr Tokens tokens{2, 3};
const Shape shape{1, 8, 2, 16, 50, 4};

Work backward_of(OperationKind kind, std::int64_t in, std::int64_t out, Shape const& s = shape) {
  return backward_work(s, {"", "", kind, in, out}, tokens, 1);
}

Work forward_of(OperationKind kind, std::int64_t in, std::int64_t out, Shape const& s = shape) {
  return forward_work(s, {"", "", kind, in, out}, tokens, 1);
}

void expect_work(Work const& work, double flops, double bytes) {
  EXPECT_EQ(work.flops, flops);
  EXPECT_EQ(work.bytes, bytes);
}

TEST(OperationWork, LinearMapMatchesHandCalculation) {
  // 6 tokens, 8 -> 16 features, with bias. Elements: X 48, Y 96, W 128, bias 16. There are 768
  // multiplications.
  expect_work(forward_of(OperationKind::linear, 8, 16), 2 * 768 + 96, 48 + 96 + 128 + 16);
  // dX reads dY and W; dW reads X and dY; db reads dY.
  expect_work(backward_of(OperationKind::linear, 8, 16), 4 * 768 + 96, (96 + 128 + 48) * 2 + 96 + 16);
  Shape plain = shape;
  plain.biases = false;
  expect_work(forward_of(OperationKind::linear, 8, 16, plain), 2 * 768, 48 + 96 + 128);
  expect_work(backward_of(OperationKind::linear, 8, 16, plain), 4 * 768, (96 + 128 + 48) * 2);
  expect_work(backward_of(OperationKind::head, 8, 16), 4 * 768, (96 + 128 + 48) * 2);
}

TEST(OperationWork, AttentionMatchesHandCalculation) {
  // 2 sequences of 3 tokens, 2 heads of 4 features: 36 scores; qkv 144 and output 48 elements.
  expect_work(forward_of(OperationKind::attention, 24, 8), 2 * (2 * 36 * 4) + 5 * 36, 144 + 48 + 4 * 36);
  expect_work(backward_of(OperationKind::attention, 24, 8), 4 * (2 * 36 * 4) + 4 * 36,
              2 * 144 + 2 * 48 + 7 * 36);
}

TEST(OperationWork, ElementwiseOperationsMoveTheirOperands) {
  EXPECT_EQ(backward_of(OperationKind::cross_entropy, 50, 50).bytes, 2 * 300);
  EXPECT_EQ(backward_of(OperationKind::norm, 8, 8).bytes, 4 * 48);
  EXPECT_EQ(backward_of(OperationKind::activation, 16, 16).bytes, 3 * 96);
  EXPECT_EQ(backward_of(OperationKind::activation, 32, 16).bytes, 5 * 96);  // SwiGLU: two inputs, one result
  EXPECT_EQ(forward_of(OperationKind::activation, 32, 16).bytes, 3 * 96);
  EXPECT_EQ(backward_of(OperationKind::position_table, 4, 8).bytes, 48 + 32);
  EXPECT_EQ(backward_of(OperationKind::token_table, 50, 8).bytes, 3 * 48);
  Shape untied = shape;
  untied.tied = false;
  EXPECT_EQ(backward_of(OperationKind::token_table, 50, 8, untied).bytes, 3 * 48 + 400);
}

TEST(OperationWork, ProductsTakeSixFlopsForEachParameterAndToken) {
  const Shape large = find_preset("gpt2-large");
  const Tokens step{8, 224};
  double products = 0;
  double weights = 0;
  for (Operation const& operation : backward_pass(large).operations) {
    if (operation.kind != OperationKind::linear) continue;
    const double biases = 2.0 * static_cast<double>(operation.out * step.count());
    products += forward_work(large, operation, step, 4).flops +
                backward_work(large, operation, step, 4).flops - biases;
    weights += static_cast<double>(operation.in * operation.out);
  }
  EXPECT_NEAR(products / (6 * weights * static_cast<double>(step.count())), 1, 1e-12);
}

TEST(OperationWork, HalfThePrecisionHalvesTheBytes) {
  const Operation operation{"", "", OperationKind::linear, 8, 16};
  const Work fp32 = backward_work(shape, operation, tokens, 4);
  const Work bf16 = backward_work(shape, operation, tokens, 2);
  expect_work(bf16, fp32.flops, fp32.bytes / 2);
}

TEST(OperationWork, RooflineIsTheLargerOfComputeTimeAndMemoryTime) {
  EXPECT_DOUBLE_EQ(roofline_seconds({100, 10}, {10, 10, 1}), 10);
  EXPECT_DOUBLE_EQ(roofline_seconds({100, 10}, {100, 1, 1}), 10);
  EXPECT_DOUBLE_EQ(roofline_seconds({100, 10}, {10, 10, 0.5}), 20);
}

TEST(OperationWork, EveryOperationOfEveryVariantTakesTime) {
  for (Shape const& model : {find_preset("tiny"), cs336_shape(2, 64, 4, 128)}) {
    const BackwardPass pass = backward_pass(model);
    const std::vector<double> seconds = modelled_seconds(model, pass, tokens, {1e12, 1e11, 0.5}, 4);
    ASSERT_EQ(seconds.size(), pass.operations.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) EXPECT_GT(seconds[i], 0) << pass.operations[i].name;
  }
}

// The gpt2-large step of SuperBench on 8 A100s takes 266.5 ms (batch 8, sequence 224, no output head, fp32).
// The tests predict it as a forward and a backward pass in TF32, without optimizer and communication.
constexpr Machine a100{156e12, 1.555e12, 1};
constexpr Tokens superbench{8, 224};
constexpr double superbench_seconds = 0.2665;

/// Returns the seconds of both passes of the step. If `with_head` is false, the output head and the loss are
/// left out.
double step_seconds(Machine const& machine, bool with_head = false) {
  const Shape large = find_preset("gpt2-large");
  double seconds = 0;
  for (Operation const& operation : backward_pass(large).operations) {
    if (!with_head &&
        (operation.kind == OperationKind::head || operation.kind == OperationKind::cross_entropy))
      continue;
    seconds += roofline_seconds(forward_work(large, operation, superbench, 4), machine) +
               roofline_seconds(backward_work(large, operation, superbench, 4), machine);
  }
  return seconds;
}

TEST(OperationWork, OneEfficiencyReproducesThePublishedStep) {
  Machine fitted = a100;
  fitted.efficiency = step_seconds(a100) / superbench_seconds;
  EXPECT_NEAR(fitted.efficiency, 0.252, 0.0005);
  EXPECT_NEAR(step_seconds(fitted), superbench_seconds, 1e-9);
}

/// Returns the value of a key of an input file. The line of the key must begin with "KEY = ".
double number_in(std::string const& input, std::string const& key) {
  std::ifstream stream(std::filesystem::path(ddproxy::inputs_folder) / input);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key + " = ")) return std::stod(line.substr(key.size() + 3));
  }
  throw std::out_of_range(input + " has no " + key);
}

TEST(OperationWork, TheInputFilesReproduceThePublishedStep) {
  for (std::string const input : {"gpt2-large-a100x8.toml", "gpt2-large-a100x16-slingshot.toml"}) {
    const Machine machine{number_in(input, "peak_flops"), number_in(input, "bandwidth"),
                          number_in(input, "efficiency")};
    EXPECT_NEAR(step_seconds(machine) / superbench_seconds, 1, 0.01) << input;
  }
}

TEST(OperationWork, TheHeadAddsAtLeastTheTimeOfItsProducts) {
  const double head = step_seconds(a100, true) - step_seconds(a100);
  const double products = 6.0 * 1280 * 50257 * 8 * 224 / 156e12;
  EXPECT_GT(head, products);
  EXPECT_LT(head, 1.5 * products);
}

TEST(OperationWork, RefusesInvalidMachinesTokensAndElementSizes) {
  EXPECT_THROW(roofline_seconds({1, 1}, {0, 1, 1}), std::invalid_argument);
  EXPECT_THROW(roofline_seconds({1, 1}, {1, 1, 1.5}), std::invalid_argument);
  EXPECT_THROW(backward_work(shape, {}, {0, 3}, 4), std::invalid_argument);
  EXPECT_THROW(backward_work(shape, {}, tokens, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
