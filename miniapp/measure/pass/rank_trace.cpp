// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/rank_trace.hpp"

namespace ddproxy {
namespace {

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Operations, then start and end of each reduction.
std::vector<double> flatten(RankTrace const& trace) {
  auto values = trace.operation_end;
  for (auto const& [start, end] : trace.buckets) {
    values.push_back(start);
    values.push_back(end);
  }
  return values;
}

}  // namespace

RankTrace trace_of(PassTimes const& times, Witness const& witness,
                   std::vector<ReducedBucket> const& buckets) {
  RankTrace trace;
  for (auto end : witness.ends()) trace.operation_end.push_back(seconds_between(times.start, end));
  for (auto const& bucket : buckets)
    trace.buckets.push_back(
        {seconds_between(times.start, bucket.start), seconds_between(times.start, bucket.end)});
  return trace;
}

std::vector<RankTrace> gather_traces(Runtime const& runtime, RankTrace const& mine) {
  const std::size_t operations = mine.operation_end.size(), length = operations + 2 * mine.buckets.size();
  std::vector<RankTrace> traces;
  if (length == 0) return traces;
  const auto all = runtime.gather(flatten(mine));
  for (std::size_t at = 0; at < all.size(); at += length) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    RankTrace trace{{first, first + static_cast<std::ptrdiff_t>(operations)}, {}};
    for (std::size_t k = at + operations; k < at + length; k += 2)
      trace.buckets.push_back({all[k], all[k + 1]});
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace ddproxy
