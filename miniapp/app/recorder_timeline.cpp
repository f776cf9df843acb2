// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/recorder.hpp"

namespace ddproxy {
namespace {

// The columns of /timeline while they grow.
class Events {
 public:
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

  void add_task(Workload const& workload, std::size_t on_rank, model::Task const& task,
                model::TaskTimes const& times) {
    const model::Interval when{times.start, times.end};
    if (auto const* compute = std::get_if<model::Compute>(&task.work); compute)
      add(on_rank, when, "compute", workload.pass.operations[index(compute->op)].name);
    else if (auto const* copy = std::get_if<model::Copy>(&task.work); copy)
      add(on_rank, when, "compute", copy->kind == model::CopyKind::into_bucket ? "copy in" : "copy out");
    else if (std::holds_alternative<model::Collective>(task.work))
      add(on_rank, when, "communication", "bucket " + std::to_string(buckets_++));
  }

  void add_rank(Workload const& workload, std::size_t on_rank, model::StepGraph const& graph,
                model::StepTrace const& trace) {
    buckets_ = 0;
    for (std::size_t t = 0; t < trace.tasks.size(); ++t)
      add_task(workload, on_rank, graph.tasks[t], trace.tasks[t]);
  }

  void add_case(Workload const& workload, CaseTimeline const& item) {
    first.push_back(static_cast<std::int64_t>(start.size()));
    for (std::size_t r = 0; r < item.ranks.size(); ++r) add_rank(workload, r, item.graph, item.ranks[r]);
    count.push_back(static_cast<std::int64_t>(start.size()) - first.back());
  }

 private:
  std::size_t buckets_ = 0;  // of a rank so far
};

}  // namespace

void Recorder::timeline(Workload const& workload, std::vector<CaseTimeline> const& cases) {
  Events events;
  for (auto const& item : cases) events.add_case(workload, item);
  writer_.write("/timeline/first", events.first);
  writer_.write("/timeline/count", events.count);
  writer_.write("/timeline/start", events.start);
  writer_.write("/timeline/end", events.end);
  writer_.write("/timeline/resource", events.resource);
  writer_.write("/timeline/label", events.label);
  writer_.write("/timeline/event_rank", events.rank);
}

}  // namespace ddproxy
