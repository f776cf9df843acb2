// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/recorder.hpp"

namespace ddproxy {
namespace {

// The columns of /timeline while they grow.
struct Events {
  std::vector<std::int64_t> first, count, rank;
  std::vector<double> start, end;
  std::vector<std::string> resource, label;

  void add(std::size_t on_rank, model::Interval when, std::string where, std::string what) {
    rank.push_back(static_cast<std::int64_t>(on_rank));
    start.push_back(when.start);
    end.push_back(when.end);
    resource.push_back(std::move(where));
    label.push_back(std::move(what));
  }

  void add_rank(Workload const& workload, std::size_t on_rank, RankTrace const& trace) {
    double before = 0;
    for (std::size_t op = 0; op < trace.operation_end.size(); ++op) {
      add(on_rank, {before, trace.operation_end[op]}, "compute", workload.pass.operations[op].name);
      before = trace.operation_end[op];
    }
    for (std::size_t k = 0; k < trace.buckets.size(); ++k)
      add(on_rank, trace.buckets[k], "communication", "bucket " + std::to_string(k));
  }

  void add_case(Workload const& workload, std::vector<RankTrace> const& ranks) {
    first.push_back(static_cast<std::int64_t>(start.size()));
    for (std::size_t r = 0; r < ranks.size(); ++r) add_rank(workload, r, ranks[r]);
    count.push_back(static_cast<std::int64_t>(start.size()) - first.back());
  }
};

}  // namespace

void Recorder::timeline(Workload const& workload, std::vector<std::vector<RankTrace>> const& traces) {
  Events events;
  for (auto const& ranks : traces) events.add_case(workload, ranks);
  writer_.write("/timeline/first", events.first);
  writer_.write("/timeline/count", events.count);
  writer_.write("/timeline/start", events.start);
  writer_.write("/timeline/end", events.end);
  writer_.write("/timeline/resource", events.resource);
  writer_.write("/timeline/label", events.label);
  writer_.write("/timeline/event_rank", events.rank);
}

}  // namespace ddproxy
