// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/embedding.hpp"
#include "kernels/gelu.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/linear.hpp"
#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/row_sum.hpp"
#include "kernels/residual.hpp"
#include "reference.hpp"

namespace ddproxy::kernels {
namespace {

constexpr double tolerance = 1e-5;

struct Rows {
  std::size_t rows, columns;
};

constexpr Rows sizes[] = {{1, 1}, {1, 7}, {3, 64}, {17, 33}, {50, 129}, {16, 1280}};

Index index(std::size_t n) {
  return static_cast<Index>(n);
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

std::vector<double> sum(std::vector<double> a, std::vector<double> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

void expect_near(Floats const& got, std::vector<double> const& expected, char const* what) {
  EXPECT_LT(reference::relative_error(to_host(got), expected), tolerance) << what;
}

TEST(Gelu, MatchesTheReference) {
  // x includes -40 and 40: if tanh() were computed from exp() of its argument, exp() would overflow there
  auto x = scaled(numbers(5001, 1), 6);
  x[0] = -40;
  x[1] = 40;
  const auto dy = numbers(x.size(), 2);
  const Floats in = to_space(x), gradient = to_space(dy), y = poisoned(x.size());
  gelu_forward({}, index(x.size()), in.data(), y.data());
  gelu_backward({}, index(x.size()), in.data(), gradient.data(), gradient.data());
  Space().fence();
  expect_near(y, reference::gelu(x), "y");
  expect_near(gradient, reference::gelu_backward(x, dy), "dx");
}

TEST(Residual, MatchesTheReference) {
  const auto a = numbers(1003, 1), b = numbers(1003, 2);
  const Floats x = to_space(a), branch = to_space(b), out = poisoned(a.size());
  residual_forward({}, index(a.size()), x.data(), branch.data(), out.data());
  residual_backward({}, index(a.size()), branch.data(), x.data());
  Space().fence();
  expect_near(out, sum(a, b), "out");
  expect_near(x, sum(a, b), "dx");
}

TEST(Layernorm, MatchesTheReference) {
  for (auto const [n, c] : {Rows{1, 7}, {3, 64}, {17, 33}, {50, 129}, {16, 1280}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << c);
    const auto x = scaled(numbers(n * c, 1), 3), w = numbers(c, 2), b = numbers(c, 3), dy = numbers(n * c, 4);
    const auto stream = numbers(n * c, 5);
    const Floats in = to_space(x), weight = to_space(w), bias = to_space(b), y = poisoned(n * c);
    const Floats mean = poisoned(n), rstd = poisoned(n), dweight = poisoned(c), dbias = poisoned(c);
    const Floats gradient = to_space(dy), dx = to_space(stream);
    const Space exec;
    const Floats scratch =
        poisoned(static_cast<std::size_t>(layernorm_scratch(exec.concurrency(), index(c))));
    const RowStatistics statistics{mean.data(), rstd.data()};
    layernorm_forward(exec, index(n), index(c), in.data(), weight.data(), bias.data(), y.data(), statistics);
    layernorm_backward(exec, index(n), index(c), in.data(), statistics, weight.data(), gradient.data(),
                       {dweight.data(), dbias.data(), dx.data()}, scratch.data());
    exec.fence();
    const auto expected = reference::layernorm_backward(n, c, x, w, dy);
    expect_near(y, reference::layernorm(n, c, x, w, b), "y");
    expect_near(dweight, expected.weight, "dweight");
    expect_near(dbias, expected.bias, "dbias");
    expect_near(dx, sum(stream, expected.x), "dx is added to the residual stream's gradient");
  }
}

TEST(RowSum, MatchesTheReference) {
  for (auto const [n, c] : sizes) {
    const auto x = numbers(n * c, 1);
    const Floats in = to_space(x), out = poisoned(c);
    const Space exec;
    const Floats scratch = poisoned(static_cast<std::size_t>(row_sum_scratch(exec.concurrency(), index(c))));
    row_sum(exec, index(n), index(c), in.data(), out.data(), scratch.data());
    exec.fence();
    std::vector<double> expected(c, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) expected[i % c] += x[i];
    expect_near(out, expected, "sum");
  }
}

TEST(Linear, MatchesTheReference) {
  struct Size {
    std::size_t rows, in, out;
  };
  for (auto const [n, in, out] : {Size{1, 1, 1}, {5, 7, 9}, {16, 64, 192}, {33, 100, 70}, {130, 20, 300}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << in << " x " << out);
    const auto x = numbers(n * in, 1), w = numbers(in * out, 2), b = numbers(out, 3),
               dy = numbers(n * out, 4);
    const Floats input = to_space(x), weight = to_space(w), bias = to_space(b), gradient = to_space(dy);
    const Floats y = poisoned(n * out), dx = poisoned(n * in), dweight = poisoned(in * out),
                 dbias = poisoned(out);
    const Space exec;
    const LinearSize size{index(n), index(in), index(out)};
    const Floats scratch = poisoned(static_cast<std::size_t>(linear_scratch(exec.concurrency(), size)));
    linear_forward(exec, size, input.data(), weight.data(), bias.data(), y.data());
    linear_backward(exec, size, input.data(), weight.data(), gradient.data(),
                    {dbias.data(), dweight.data(), dx.data()}, scratch.data());
    exec.fence();
    const auto expected = reference::linear_backward(n, in, out, x, w, dy);
    expect_near(y, reference::linear(n, in, out, x, w, b), "y");
    expect_near(dx, expected.x, "dx");
    expect_near(dweight, expected.weight, "dweight");
    expect_near(dbias, expected.bias, "dbias");
  }
}

/// Runs the backward pass of a linear layer, and compares the gradients with the reference in double. The
/// caller has set the precision of matrix products to bf16.
void check_linear_in_bf16(std::size_t n, std::size_t in, std::size_t out) {
  SCOPED_TRACE(testing::Message() << n << " x " << in << " x " << out);
  const auto x = numbers(n * in, 1), w = numbers(in * out, 2), dy = numbers(n * out, 4);
  const Floats input = to_space(x), weight = to_space(w), gradient = to_space(dy);
  const Floats dx = poisoned(n * in), dweight = poisoned(in * out), dbias = poisoned(out);
  const Space exec;
  const LinearSize size{index(n), index(in), index(out)};
  const Floats scratch = poisoned(static_cast<std::size_t>(linear_scratch(exec.concurrency(), size)));
  linear_backward(exec, size, input.data(), weight.data(), gradient.data(),
                  {dbias.data(), dweight.data(), dx.data()}, scratch.data());
  exec.fence();
  const auto expected = reference::linear_backward(n, in, out, x, w, dy);
  constexpr double of_bf16 = 1e-2;
  EXPECT_LT(reference::relative_error(to_host(dx), expected.x), of_bf16);
  EXPECT_LT(reference::relative_error(to_host(dweight), expected.weight), of_bf16);
  expect_near(dbias, expected.bias, "dbias");
}

// In the first two sizes, the number of rows or of columns of dy is not a multiple of 8. Then one kernel sums
// dy, and another makes the copy of dy in bf16. For the last size one kernel does both.
TEST(Linear, InBf16IsNearTheReference) {
  if (!on_device) GTEST_SKIP() << "products run in bf16 on devices only";
  set_matrix_precision(MatrixPrecision::bf16);
  check_linear_in_bf16(33, 100, 70);
  check_linear_in_bf16(130, 20, 304);
  check_linear_in_bf16(64, 256, 192);
  set_matrix_precision(MatrixPrecision::fp32);
}

TEST(Head, MatchesTheReference) {
  for (auto const [n, vocabulary] : {Rows{1, 3}, {16, 257}, {70, 501}}) {
    constexpr std::size_t c = 24;
    const auto x = numbers(n * c, 1), w = numbers(vocabulary * c, 2), dy = numbers(n * vocabulary, 3);
    const Floats in = to_space(x), table = to_space(w), gradient = to_space(dy);
    const Floats logits = poisoned(n * vocabulary), dx = poisoned(n * c), dtable = poisoned(vocabulary * c);
    const LinearSize size{index(n), c, index(vocabulary)};
    head_forward({}, size, in.data(), table.data(), logits.data());
    head_backward({}, size, in.data(), table.data(), gradient.data(), dtable.data(), dx.data());
    Space().fence();
    const auto expected = reference::head_backward(n, c, vocabulary, x, w, dy);
    expect_near(logits, reference::head(n, c, vocabulary, x, w), "logits");
    expect_near(dx, expected.x, "dx");
    expect_near(dtable, expected.weight, "dtable");
  }
}

void check_cross_entropy(std::size_t n, std::size_t vocabulary, std::vector<double> const& logits,
                         double tolerance) {
  const auto targets = some_tokens(n, static_cast<int>(vocabulary));
  const Floats in = to_space(logits), log_sum = poisoned(n), loss = poisoned(n), d = poisoned(n * vocabulary);
  const TokenIds hits = copy_tokens("targets", targets);
  cross_entropy_forward({}, index(n), index(vocabulary), in.data(), hits.data(), log_sum.data(), loss.data());
  cross_entropy_backward({}, index(n), index(vocabulary), in.data(), log_sum.data(), hits.data(),
                         1 / static_cast<float>(n), d.data());
  Space().fence();
  double mean = 0;
  for (const float value : to_host(loss)) mean += static_cast<double>(value) / static_cast<double>(n);
  EXPECT_NEAR(mean, reference::cross_entropy(n, vocabulary, logits, targets), tolerance);
  expect_near(d, reference::cross_entropy_backward(n, vocabulary, logits, targets), "dlogits");
}

TEST(CrossEntropy, MatchesTheReference) {
  for (auto const [n, vocabulary] : {Rows{1, 2}, {16, 257}, {7, 1003}})
    check_cross_entropy(n, vocabulary, scaled(numbers(n * vocabulary, 1), 30), 1e-5);
}

TEST(CrossEntropy, MatchesTheReferenceWithALateLargeLogit) {
  constexpr std::size_t n = 3, vocabulary = 1003;
  for (const double peak : {40.0, 58.0, 62.0, 100.0}) {
    auto logits = scaled(numbers(n * vocabulary, 1), 2);
    logits[vocabulary + 700] = peak;
    logits[2 * vocabulary - 1] = peak;
    check_cross_entropy(n, vocabulary, logits, 3e-5);
  }
}

TEST(CrossEntropy, IsZeroForACertainToken) {
  constexpr std::size_t n = 5, vocabulary = 300;
  std::vector<double> logits(n * vocabulary, -200);
  for (std::size_t row = 0; row < n; ++row)
    logits[row * vocabulary + 7] = std::vector{-93.7, -5.3, 0.1, 30.7, 91.9}[row];
  const auto targets = copy_tokens("targets", std::vector<int>(n, 7));
  const Floats in = to_space(logits), loss = poisoned(n), log_sum = poisoned(n),
               gradient = poisoned(logits.size());
  cross_entropy_forward({}, n, vocabulary, in.data(), targets.data(), log_sum.data(), loss.data());
  cross_entropy_backward({}, n, vocabulary, in.data(), log_sum.data(), targets.data(), 1, gradient.data());
  Space().fence();
  // The tolerance is an ulp of 1, the sum of the exponentials. An ulp of these logits is up to 7.6e-6.
  for (const double each : to_host(loss)) EXPECT_NEAR(each, 0, 1.2e-7);
  for (const double each : to_host(gradient)) EXPECT_NEAR(each, 0, 1.2e-7);
}

TEST(Embedding, MatchesTheReference) {
  constexpr std::size_t batch = 3, sequence = 11, columns = 37, vocabulary = 13, context = 15;
  const auto tokens = some_tokens(batch * sequence, vocabulary);
  const auto table = numbers(vocabulary * columns, 1), positions = numbers(context * columns, 2);
  const auto gradient = numbers(tokens.size() * columns, 3), before = numbers(table.size(), 4);
  const TokenIds ids = copy_tokens("tokens", tokens);
  const Floats wte = to_space(table), wpe = to_space(positions), x = poisoned(gradient.size()),
               dx = to_space(gradient);
  const Floats dwpe = poisoned(positions.size()), dwte = to_space(before);
  const EmbeddingSize size{batch, sequence, columns};
  token_forward({}, size, ids.data(), wte.data(), x.data());
  position_forward({}, size, wpe.data(), x.data());
  position_backward({}, size, context, dx.data(), dwpe.data());
  token_backward({}, columns, group_tokens(tokens), ids.data(), dx.data(), dwte.data());
  Space().fence();
  auto expected = before;
  reference::add_token_gradient(columns, tokens, gradient, expected);
  expect_near(x, reference::embedding(sequence, columns, tokens, table, positions), "x");
  expect_near(dwpe, reference::position_gradient(sequence, columns, context, gradient), "dposition");
  expect_near(dwte, expected, "dtoken is added to its previous value");
}

}  // namespace
}  // namespace ddproxy::kernels
