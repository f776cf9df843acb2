// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/row_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compare.hpp"
#include "device.hpp"

// Compares both implementations of the sums over rows with loops in double precision. The implementation for
// devices is also tested on hosts.
namespace ddproxy::kernels {
namespace {

constexpr double tolerance = 2e-6;

using Doubles = std::vector<double>;

struct Implementation {
  void (*layernorm)(Space const&, RowParts, NormInputs, RowStatistics, float*, float*);
  void (*rmsnorm)(Space const&, RowParts, NormInputs, float const*, float*, float*);
  void (*row_sum)(Space const&, RowParts, float const*, float*);
  void (*add_parts)(Space const&, Index, Index, float const*, float*, SumMode);
};

std::vector<Implementation> implementations() {
  std::vector<Implementation> all{
      {devices::layernorm_backward, devices::rmsnorm_backward, devices::row_sum, devices::add_parts}};
  if constexpr (!on_device)
    all.push_back({hosts::layernorm_backward, hosts::rmsnorm_backward, hosts::row_sum, hosts::add_parts});
  return all;
}

// In this order: one element; fewer rows than parts; a last team with fewer than 32 columns; several teams;
// parts without rows; more rows in a part, and more columns, than hosts handle at once
// (norm_backward_host.cpp).
constexpr RowParts sizes[] = {{1, 1, 1}, {3, 5, 8}, {40, 33, 7}, {65, 100, 16}, {10, 70, 6}, {21, 331, 2}};

std::size_t elements(RowParts const& size) {
  return static_cast<std::size_t>(size.rows * size.columns);
}

/// Returns the sum over the rows of value(row, column), for each column.
template <class Value>
Doubles sums(RowParts const& size, Value const& value) {
  Doubles all(static_cast<std::size_t>(size.columns));
  for (Index r = 0; r < size.rows; ++r)
    for (Index c = 0; c < size.columns; ++c) all[static_cast<std::size_t>(c)] += value(r, c);
  return all;
}

/// Adds size.parts partial sums of each column, from row `first` of `partial` on, and compares the results
/// with `expected`.
void expect_sums(Implementation const& way, RowParts const& size, Floats const& partial, Index first,
                 Doubles const& expected) {
  for (const SumMode mode : {SumMode::assign, SumMode::add}) {
    const bool adds = mode == SumMode::add;
    const Doubles before = numbers(expected.size(), 7);
    const Floats sum = adds ? to_space(before) : poisoned(expected.size());
    way.add_parts(Space(), size.parts, size.columns, partial.data() + first * size.columns, sum.data(), mode);
    Space().fence();
    Doubles total = expected;
    for (std::size_t i = 0; adds && i < total.size(); ++i) total[i] += before[i];
    EXPECT_LT(reference::relative_error(to_host(sum), total), tolerance) << size.rows << " rows";
  }
}

Floats poisoned_parts(RowParts const& size, Index arrays) {
  return poisoned(static_cast<std::size_t>(arrays * size.parts * size.columns));
}

TEST(RowSums, MatchTheReferenceInTheKernelThatAlsoCopiesToBf16) {
  const RowParts size{65, 100, 16};
  const Doubles x = numbers(elements(size), 1);
  const Floats data = to_space(x), partial = poisoned_parts(size, 1), memory = poisoned(x.size() / 2);
  devices::row_sum_and_copy(Space(), size, data.data(), partial.data(),
                            reinterpret_cast<Bf16*>(memory.data()));
  Space().fence();
  const auto sum_of = [&](Index r, Index c) { return x[static_cast<std::size_t>(r * size.columns + c)]; };
  expect_sums(implementations().front(), size, partial, 0, sums(size, sum_of));
  const auto pairs = to_host(memory);
  std::vector<Bf16> copy(x.size());
  std::memcpy(copy.data(), pairs.data(), copy.size() * sizeof(Bf16));
  std::size_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) different += copy[i] != to_bf16(static_cast<float>(x[i]));
  EXPECT_EQ(different, 0U);
}

TEST(RowSums, AddTheElementsOfEachColumn) {
  for (auto const& way : implementations())
    for (auto const& size : sizes) {
      const Doubles x = numbers(elements(size), 1);
      const Floats data = to_space(x), partial = poisoned_parts(size, 1);
      way.row_sum(Space(), size, data.data(), partial.data());
      expect_sums(way, size, partial, 0, sums(size, [&](Index r, Index c) {
                    return x[static_cast<std::size_t>(r * size.columns + c)];
                  }));
    }
}

/// The arrays of a norm with random inputs. `offset` and `scale` [rows] define xhat = (x - offset) * scale.
struct Norm {
  RowParts size;
  Doubles x, weight, dy, before, offset, scale;

  explicit Norm(RowParts const& s)
      : size(s),
        x(numbers(elements(s), 1)),
        weight(numbers(static_cast<std::size_t>(s.columns), 2)),
        dy(numbers(elements(s), 3)),
        before(numbers(elements(s), 4)),
        offset(numbers(static_cast<std::size_t>(s.rows), 5)),
        scale(numbers(static_cast<std::size_t>(s.rows), 6)) {}

  std::size_t place(Index r, Index c) const { return static_cast<std::size_t>(r * size.columns + c); }
  double d(Index r, Index c) const { return dy[place(r, c)]; }
  double xhat(Index r, Index c) const {
    const auto row = static_cast<std::size_t>(r);
    return (x[place(r, c)] - offset[row]) * scale[row];
  }
  /// Returns the average over row r of dy * weight * factor(column).
  template <class Factor>
  double average(Index r, Factor const& factor) const {
    double sum = 0;
    for (Index c = 0; c < size.columns; ++c) sum += d(r, c) * weight[static_cast<std::size_t>(c)] * factor(c);
    return sum / static_cast<double>(size.columns);
  }
  /// Returns dx after the backward pass. `centred` is false for RMSNorm, which subtracts no mean.
  Doubles expected_dx(bool centred) const {
    Doubles all = before;
    for (Index r = 0; r < size.rows; ++r) {
      const double mean = centred ? average(r, [](Index) { return 1.0; }) : 0;
      const double along = average(r, [&](Index c) { return xhat(r, c); });
      for (Index c = 0; c < size.columns; ++c)
        all[place(r, c)] += scale[static_cast<std::size_t>(r)] *
                            (d(r, c) * weight[static_cast<std::size_t>(c)] - mean - xhat(r, c) * along);
    }
    return all;
  }
};

TEST(RowSums, LayernormMatchesTheReference) {
  for (auto const& way : implementations())
    for (auto const& size : sizes) {
      const Norm norm(size);
      const Floats x = to_space(norm.x), w = to_space(norm.weight), dy = to_space(norm.dy),
                   dx = to_space(norm.before), mean = to_space(norm.offset), rstd = to_space(norm.scale);
      const Floats partial = poisoned_parts(size, 2);
      way.layernorm(Space(), size, {x.data(), w.data(), dy.data()}, {mean.data(), rstd.data()}, dx.data(),
                    partial.data());
      Space().fence();
      EXPECT_LT(reference::relative_error(to_host(dx), norm.expected_dx(true)), tolerance);
      expect_sums(way, size, partial, 0,
                  sums(size, [&](Index r, Index c) { return norm.d(r, c) * norm.xhat(r, c); }));
      expect_sums(way, size, partial, size.parts, sums(size, [&](Index r, Index c) { return norm.d(r, c); }));
    }
}

TEST(RowSums, RmsnormMatchesTheReference) {
  for (auto const& way : implementations())
    for (auto const& size : sizes) {
      Norm norm(size);
      norm.offset.assign(norm.offset.size(), 0);
      const Floats x = to_space(norm.x), w = to_space(norm.weight), dy = to_space(norm.dy),
                   dx = to_space(norm.before), inverse = to_space(norm.scale);
      const Floats partial = poisoned_parts(size, 1);
      way.rmsnorm(Space(), size, {x.data(), w.data(), dy.data()}, inverse.data(), dx.data(), partial.data());
      Space().fence();
      EXPECT_LT(reference::relative_error(to_host(dx), norm.expected_dx(false)), tolerance);
      expect_sums(way, size, partial, 0,
                  sums(size, [&](Index r, Index c) { return norm.d(r, c) * norm.xhat(r, c); }));
    }
}

}  // namespace
}  // namespace ddproxy::kernels
