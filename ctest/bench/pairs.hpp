// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace ddproxy::bench {

/// Times of ddproxy and of a plain loop of the same calls, measured in turns.
struct Pairs {
  std::vector<double> own, plain;  ///< seconds of one message
  /// Returns the median of `own` divided by the median of `plain`.
  double ratio() const;
};

/// Calls `own` and `plain` once in each iteration of `state`; which of them comes first alternates. Each call
/// carries out `messages` messages and returns the seconds of all of them together. Returns the seconds of
/// one message in each iteration: those of the call divided by `messages`.
Pairs in_turns(benchmark::State& state, std::size_t messages, std::function<double()> const& own,
               std::function<double()> const& plain);

/// Sets the counters of a row: both medians and the median of the differences in us; the ratio with its 95 %
/// interval (bootstrap over the pairs); GB/s of ddproxy. `bytes` is the size of a message.
void report(benchmark::State& state, Pairs const& pairs, std::size_t bytes);

}  // namespace ddproxy::bench
