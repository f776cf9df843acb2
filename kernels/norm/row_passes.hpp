// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/gemm/gemm_tile.hpp"

// Passes over one row of an array, for the norms on hosts. The first pass over a row reads it from memory.
// Later passes find the row in a cache, so the memory would be idle. A pass can therefore request (prefetch)
// the cache lines that are written next.
namespace ddproxy::kernels::rows {

using tile::Vector;

/// Number of partial sums. With a single partial sum each addition would wait for the addition before it.
inline constexpr int partial_sums = 4;
/// Number of elements of each array that sum() reads at once.
inline constexpr Index columns_at_once = partial_sums * tile::lanes;

/// Two sums over a row, computed in one pass. T is a Vector or a float.
template <class T>
struct TwoSums {
  T first, second;
  TwoSums& operator+=(TwoSums const& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

inline float total(Vector const& v) {
  float sum = 0;
  for (int lane = 0; lane < tile::lanes; ++lane) sum += v[lane];
  return sum;
}

inline TwoSums<float> total(TwoSums<Vector> const& sums) {
  return {total(sums.first), total(sums.second)};
}

/// Prefetches the cache lines of columns_at_once columns of the row `to`, from column `first` on. These
/// columns will be written soon.
struct Request {
  float* to;
  void operator()(Index first) const {
    constexpr Index floats_of_line = 16;
    for (Index c = first; c < first + columns_at_once; c += floats_of_line) __builtin_prefetch(to + c, 1, 2);
  }
};

/// Does nothing, for passes that prefetch nothing.
inline constexpr auto request_nothing = [](Index) {};

/// Returns the sum over c of term(a[c], b[c], ...), where a, b, ... [columns] are `arrays`. The term is a
/// number or TwoSums. `term` is called with Vectors, and with floats for the last columns. `request` is
/// called for each complete group of columns_at_once columns, with the index of the group's first column.
template <class Term, class Requests, class... Arrays>
auto sum(Index columns, Term const& term, Requests const& request, Arrays const*... arrays) {
  decltype(term(tile::load(arrays)...)) parts[partial_sums] = {};
  Index c = 0;
  for (; c + columns_at_once <= columns; c += columns_at_once) {
    request(c);
    for (int i = 0; i < partial_sums; ++i) parts[i] += term(tile::load(arrays + c + i * tile::lanes)...);
  }
  for (int i = 1; i < partial_sums; ++i) parts[0] += parts[i];
  auto all = total(parts[0]);
  for (; c < columns; ++c) all += term(arrays[c]...);
  return all;
}

}  // namespace ddproxy::kernels::rows
