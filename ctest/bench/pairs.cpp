// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/pairs.hpp"

#include <numeric>
#include <random>

#include "model/statistics/resample.hpp"

namespace ddproxy::bench {
namespace {

/// Returns a 95 % interval of the ratio of the medians, by resampling the pairs.
model::Band interval(Pairs const& pairs) {
  constexpr int resamples = 2000;
  std::mt19937 random(1);
  std::vector<std::size_t> numbers(pairs.own.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::vector<double> ratios;
  for (int i = 0; i < resamples; ++i) {
    Pairs some;
    for (const std::size_t one : model::resampled(numbers, random)) {
      some.own.push_back(pairs.own[one]);
      some.plain.push_back(pairs.plain[one]);
    }
    ratios.push_back(some.ratio());
  }
  return model::central(ratios);
}

double extra_microseconds(Pairs const& pairs) {
  std::vector<double> extra;
  for (std::size_t k = 0; k < pairs.own.size(); ++k) extra.push_back((pairs.own[k] - pairs.plain[k]) * 1e6);
  return model::median(extra);
}

}  // namespace

double Pairs::ratio() const {
  return model::median(own) / model::median(plain);
}

Pairs in_turns(benchmark::State& state, std::size_t messages, std::function<double()> const& own,
               std::function<double()> const& plain) {
  const auto one = 1.0 / static_cast<double>(messages);
  Pairs pairs;
  bool own_first = true;
  for (auto _ : state) {
    double of_plain = 0, of_own = 0;
    if (!own_first) of_plain = plain();
    of_own = own();
    if (own_first) of_plain = plain();
    own_first = !own_first;
    state.SetIterationTime(of_own);
    pairs.own.push_back(of_own * one);
    pairs.plain.push_back(of_plain * one);
  }
  return pairs;
}

void report(benchmark::State& state, Pairs const& pairs, std::size_t bytes) {
  const auto [low, high] = interval(pairs);
  state.counters["plain_us"] = model::median(pairs.plain) * 1e6;
  state.counters["own_us"] = model::median(pairs.own) * 1e6;
  state.counters["extra_us"] = extra_microseconds(pairs);
  state.counters["ratio"] = pairs.ratio();
  state.counters["low"] = low;
  state.counters["high"] = high;
  state.counters["GB/s"] = static_cast<double>(bytes) / model::median(pairs.own) / 1e9;
}

}  // namespace ddproxy::bench
