// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/trace_pass.hpp"

#include "miniapp/pipeline.hpp"
#include "miniapp/witness.hpp"

namespace ddproxy {
namespace {

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// The same number of values on each rank: operations, then start and end of each bucket.
std::vector<double> flatten(PassTimes const& times, Witness const& witness,
                            std::vector<Reduction> const& reductions) {
  std::vector<double> values;
  for (auto end : witness.ends()) values.push_back(seconds_between(times.start, end));
  for (auto const& reduction : reductions) {
    values.push_back(seconds_between(times.start, reduction.start));
    values.push_back(seconds_between(times.start, reduction.end));
  }
  return values;
}

}  // namespace

std::vector<RankTrace> trace_pass(Workbench& bench, Case const& item) {
  Witness witness(bench.backward_of(item.overlapped));
  const Schedule schedule(bench.workload, item.plan, item.overlapped);
  bench.runtime.barrier();
  const auto times = run_pass(witness, *bench.allreduce, schedule);
  const auto mine = flatten(times, witness, bench.allreduce->reductions());
  const auto all = bench.runtime.gather(mine);
  std::vector<RankTrace> traces;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    const auto operations = static_cast<std::ptrdiff_t>(witness.operations());
    RankTrace trace{{first, first + operations}, {}};
    for (std::size_t k = at + witness.operations(); k < at + mine.size(); k += 2)
      trace.reductions.push_back({all[k], all[k + 1]});
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace ddproxy
