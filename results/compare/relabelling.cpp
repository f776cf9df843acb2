// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/relabelling.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

namespace ddproxy::results {
namespace {

constexpr std::uint64_t seed = 20261123;

// Returns the numbers first, first + 1, ..., first + count - 1.
Relabelling sequence(std::size_t first, std::size_t count) {
  Relabelling all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// Returns C(n, k), or `most` + 1 if C(n, k) is larger than `most`.
std::size_t combinations(std::size_t n, std::size_t k, std::size_t most) {
  double count = 1.0;
  for (std::size_t i = 1; i <= k; ++i)
    count = count * static_cast<double>(n - k + i) / static_cast<double>(i);
  return count > static_cast<double>(most) ? most + 1 : static_cast<std::size_t>(count + 0.5);
}

}  // namespace

Relabellings sign_flips(std::size_t n, std::size_t most) {
  const bool all = n < 63 && (std::uint64_t{1} << n) <= most;
  const std::size_t count = all ? std::size_t{1} << n : most;
  std::mt19937_64 random(seed);
  Relabellings result{sequence(0, n)};
  for (std::size_t k = 1; k < count; ++k) {
    Relabelling keep;
    std::uint64_t bits = 0;
    for (std::size_t u = 0; u < n; ++u) {
      if (u % 64 == 0) bits = all ? ~std::uint64_t{k} : random();
      if ((bits >> (u % 64)) & 1) keep.push_back(u);
    }
    result.push_back(std::move(keep));
  }
  return result;
}

Relabellings regroupings(std::size_t base, std::size_t next, std::size_t most) {
  Relabellings result{sequence(base, next)};
  if (combinations(base + next, next, most) <= most) {
    std::vector<char> chosen(base + next, 0);
    std::fill(chosen.end() - static_cast<std::ptrdiff_t>(next), chosen.end(), 1);
    // the flags begin in ascending order: this is the observed choice and the first of all permutations
    while (std::ranges::next_permutation(chosen).found) {
      Relabelling one;
      for (std::size_t u = 0; u < chosen.size(); ++u)
        if (chosen[u]) one.push_back(u);
      result.push_back(std::move(one));
    }
    return result;
  }
  std::mt19937_64 random(seed);
  auto units = sequence(0, base + next);
  while (result.size() < most) {
    for (std::size_t k = 0; k < next; ++k) std::swap(units[k], units[k + random() % (units.size() - k)]);
    result.emplace_back(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return result;
}

}  // namespace ddproxy::results
