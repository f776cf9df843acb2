// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/attention/rope.hpp"
#include "kernels/linear.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "kernels/swiglu.hpp"
#include "reference.hpp"

// Compares operators with loops in double. Llama models have these operators, and GPT-2 does not.
namespace ddproxy::kernels {
namespace {

constexpr double tolerance = 1e-5;

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

struct Rows {
  std::size_t rows, columns;
};

TEST(Rmsnorm, MatchesTheReference) {
  for (auto const [n, c] : {Rows{1, 1}, {1, 7}, {3, 64}, {17, 33}, {50, 129}, {16, 1280}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << c);
    // The mean is far from 0, so that the test fails for a layer norm, which subtracts the mean.
    auto x = scaled(numbers(n * c, 1), 3);
    for (double& each : x) each += 2;
    const auto w = numbers(c, 2), dy = numbers(n * c, 3), stream = numbers(n * c, 4);
    const Floats in = to_space(x), weight = to_space(w), gradient = to_space(dy), dx = to_space(stream);
    const Floats y = poisoned(n * c), inverse_rms = poisoned(n), dweight = poisoned(c);
    const Space exec;
    const Floats scratch = poisoned(static_cast<std::size_t>(rmsnorm_scratch(exec.concurrency(), index(c))));
    rmsnorm_forward(exec, index(n), index(c), in.data(), weight.data(), y.data(), inverse_rms.data());
    rmsnorm_backward(exec, index(n), index(c), in.data(), inverse_rms.data(), weight.data(), gradient.data(),
                     {dweight.data(), dx.data()}, scratch.data());
    exec.fence();
    const auto expected = reference::rmsnorm_backward(n, c, x, w, dy);
    expect_near(y, reference::rmsnorm(n, c, x, w), "y");
    expect_near(dweight, expected.weight, "dweight");
    expect_near(dx, sum(stream, expected.x), "dx is added to the residual stream's gradient");
  }
}

TEST(Rmsnorm, ARowOfZerosGivesZeros) {
  const Floats x = to_space({0, 0, 0}), weight = to_space({1, 2, 3}), y = poisoned(3), kept = poisoned(1);
  rmsnorm_forward({}, 1, 3, x.data(), weight.data(), y.data(), kept.data());
  Space().fence();
  EXPECT_EQ(to_host(y), std::vector<float>(3, 0));
  EXPECT_NEAR(to_host(kept).front(), 1 / std::sqrt(1e-5), 1e-3);
}

/// Returns gates in [-6, 6), and the gates -100 and 100: exp(100) overflows a float.
std::vector<double> gates(std::size_t count) {
  auto gate = scaled(numbers(count, 1), 6);
  gate[0] = -100;
  gate[1] = 100;
  return gate;
}

TEST(Swiglu, MatchesTheReference) {
  const auto gate = gates(5001), up = numbers(gate.size(), 2), dy = numbers(gate.size(), 3);
  const Floats x = to_space(gate), u = to_space(up), gradient = to_space(dy);
  const Floats y = poisoned(gate.size()), dgate = poisoned(gate.size()), dup = poisoned(gate.size());
  swiglu_forward({}, index(gate.size()), x.data(), u.data(), y.data());
  swiglu_backward({}, index(gate.size()), x.data(), u.data(), gradient.data(), {dgate.data(), dup.data()});
  Space().fence();
  const auto expected = reference::swiglu_backward(gate, up, dy);
  expect_near(y, reference::swiglu(gate, up), "y");
  expect_near(dgate, expected.gate, "dgate");
  expect_near(dup, expected.up, "dup");
}

TEST(Swiglu, MayOverwriteItsInputs) {
  const auto gate = gates(1003), up = numbers(gate.size(), 2), dy = numbers(gate.size(), 3);
  const Floats x = to_space(gate), u = to_space(up), gradient = to_space(dy), y = to_space(up);
  swiglu_forward({}, index(gate.size()), x.data(), y.data(), y.data());
  swiglu_backward({}, index(gate.size()), x.data(), u.data(), gradient.data(), {u.data(), gradient.data()});
  Space().fence();
  const auto expected = reference::swiglu_backward(gate, up, dy);
  expect_near(y, reference::swiglu(gate, up), "y");
  expect_near(u, expected.gate, "dgate over up");
  expect_near(gradient, expected.up, "dup over dy");
}

struct RopeCase {
  std::size_t batch, sequence, heads, head_size, kv_heads;
  double theta;
  bool packed;
};

Floats table_of(RopeCase const& s, std::size_t positions) {
  const Index count = rope_table_elements(index(positions), index(s.head_size));
  const Floats table = poisoned(static_cast<std::size_t>(count));
  rope_table({}, index(positions), index(s.head_size), s.theta, table.data());
  return table;
}

TEST(Rope, TheTableHoldsEachCosineAndSineToTheLastBit) {
  const RopeCase s{1, 1, 1, 6, 1, 5e5, false};
  constexpr std::size_t positions = 8192;
  const auto table = to_host(table_of(s, positions));
  for (std::size_t t = 0; t < positions; ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(t) * std::pow(s.theta, -static_cast<double>(i) / 3);
      ASSERT_NEAR(table[6 * t + i], std::cos(angle), 6e-8) << t << " " << i;
      ASSERT_NEAR(table[6 * t + 3 + i], std::sin(angle), 6e-8) << t << " " << i;
    }
}

/// Queries, keys and values in the memory layout of a case. q, k and v are the same numbers in double, before
/// the rotation.
struct Rotated {
  AttentionSize size;
  std::vector<double> q, k, v;
  Floats memory;
  Qkv view;

  explicit Rotated(RopeCase const& s)
      : size{index(s.batch), index(s.sequence), index(s.heads), index(s.head_size), index(s.kv_heads)},
        q(numbers(s.batch * s.sequence * s.heads * s.head_size, 1)),
        k(numbers(s.batch * s.sequence * s.kv_heads * s.head_size, 2)),
        v(numbers(k.size(), 3)),
        memory(to_space(s.packed ? interleaved() : appended())),
        view(s.packed ? packed_qkv(size, memory.data())
                      : separate_qkv(size, memory.data(), memory.data() + q.size(),
                                     memory.data() + q.size() + k.size())) {}

  std::vector<double> appended() const {
    std::vector<double> all(q);
    all.insert(all.end(), k.begin(), k.end());
    all.insert(all.end(), v.begin(), v.end());
    return all;
  }

  std::vector<double> interleaved() const {
    std::vector<double> all;
    const auto c = size.columns(), kv = size.kv_columns();
    for (Index token = 0; token < size.batch * size.sequence; ++token) {
      all.insert(all.end(), q.begin() + token * c, q.begin() + (token + 1) * c);
      all.insert(all.end(), k.begin() + token * kv, k.begin() + (token + 1) * kv);
      all.insert(all.end(), v.begin() + token * kv, v.begin() + (token + 1) * kv);
    }
    return all;
  }

  std::vector<double> expected(RopeCase const& s, double direction) const {
    Rotated other(*this);
    other.q = reference::rope(s.sequence, s.heads, s.head_size, s.theta, q, direction);
    other.k = reference::rope(s.sequence, s.kv_heads, s.head_size, s.theta, k, direction);
    return s.packed ? other.interleaved() : other.appended();
  }
};

TEST(Rope, MatchesTheReference) {
  for (auto const& s : {RopeCase{1, 1, 1, 2, 1, 1e4, false}, RopeCase{2, 5, 3, 6, 1, 1e4, false},
                        RopeCase{1, 70, 4, 64, 2, 5e5, false}, RopeCase{2, 33, 2, 10, 2, 1e4, true},
                        RopeCase{1, 17, 6, 8, 3, 5e5, true}}) {
    SCOPED_TRACE(testing::Message() << s.batch << " x " << s.sequence << " x " << s.heads << " x "
                                    << s.head_size << (s.packed ? " packed" : " separate"));
    const Floats table = table_of(s, s.sequence + 3);
    const Rotated forward(s), backward(s);
    rope_forward({}, forward.size, table.data(), forward.view);
    rope_backward({}, backward.size, table.data(), backward.view);
    Space().fence();
    expect_near(forward.memory, forward.expected(s, 1), "forward");
    expect_near(backward.memory, backward.expected(s, -1), "backward");
    rope_backward({}, forward.size, table.data(), forward.view);
    Space().fence();
    expect_near(forward.memory, s.packed ? forward.interleaved() : forward.appended(), "there and back");
  }
}

TEST(Linear, WithoutABiasMatchesTheReference) {
  struct Size {
    std::size_t rows, in, out;
  };
  for (auto const [n, in, out] : {Size{1, 1, 1}, {5, 7, 9}, {16, 64, 192}, {33, 100, 70}, {130, 20, 300}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << in << " x " << out);
    const auto x = numbers(n * in, 1), w = numbers(in * out, 2), dy = numbers(n * out, 3);
    const Floats input = to_space(x), weight = to_space(w), gradient = to_space(dy);
    const Floats y = poisoned(n * out), dx = poisoned(n * in), dweight = poisoned(in * out);
    const LinearSize size{index(n), index(in), index(out)};
    linear_forward({}, size, input.data(), weight.data(), nullptr, y.data());
    linear_backward({}, size, input.data(), weight.data(), gradient.data(),
                    {nullptr, dweight.data(), dx.data()}, nullptr);
    Space().fence();
    const auto expected = reference::linear_backward(n, in, out, x, w, dy);
    expect_near(y, reference::linear(n, in, out, x, w, {}), "y");
    expect_near(dx, expected.x, "dx");
    expect_near(dweight, expected.weight, "dweight");
  }
}

}  // namespace
}  // namespace ddproxy::kernels
