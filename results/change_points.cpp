// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "results/rank_statistics.hpp"

namespace ddproxy::results {
namespace {

constexpr std::size_t shortest = 3;
constexpr int orders = 20000;

// Ranks from 1, ties sharing their mean.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t k = first; k < last; ++k)
      ranks[order[k]] = (static_cast<double>(first + last) + 1.0) / 2.0;
  }
  return ranks;
}

struct Split {
  std::size_t at;
  double size;  ///< distance of the rank sum before it from its mean, in standard deviations
};

Split largest_split(std::vector<double> const& ranks) {
  const double n = static_cast<double>(ranks.size());
  Split best{0, 0.0};
  double sum = 0.0;
  for (std::size_t k = 1; k + shortest <= ranks.size(); ++k) {
    sum += ranks[k - 1];
    const double before = static_cast<double>(k);
    const double deviation = std::sqrt(before * (n - before) * (n + 1.0) / 12.0);
    const double size = std::abs(sum - before * (n + 1.0) / 2.0) / deviation;
    if (k >= shortest && size > best.size) best = {k, size};
  }
  return best;
}

// std::shuffle gives other orders with other standard libraries.
void shuffle(std::vector<double>& values, std::mt19937_64& engine) {
  for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[engine() % k]);
}

// The order found counts as one of the random ones, so that the level is kept.
bool is_change(std::vector<double> ranks, double size, double alpha) {
  std::mt19937_64 engine(2026);
  int as_large = 1;
  for (int k = 0; k < orders; ++k) {
    shuffle(ranks, engine);
    if (largest_split(ranks).size >= size - 1e-12) ++as_large;
    if (as_large > alpha * (orders + 1)) return false;
  }
  return true;
}

void split(std::span<const double> series, std::size_t offset, double alpha,
           std::vector<std::size_t>& found) {
  if (series.size() < 2 * shortest) return;
  const auto ranks = ranks_of(series);
  const Split best = largest_split(ranks);
  if (best.at == 0 || !is_change(ranks, best.size, alpha)) return;
  split(series.first(best.at), offset, alpha, found);
  found.push_back(offset + best.at);
  split(series.subspan(best.at), offset + best.at, alpha, found);
}

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> series, double alpha) {
  std::vector<std::size_t> found;
  split(series, 0, alpha, found);
  return found;
}

}  // namespace ddproxy::results
