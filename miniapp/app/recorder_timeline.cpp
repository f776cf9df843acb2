// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/recorder.hpp"
#include "miniapp/app/recorder_columns.hpp"
#include "model/predict/graph/live_memory.hpp"

namespace ddproxy {
namespace {

// Collects the columns of /timeline, and the columns of /memory that follow from the same traces.
class Events {
 public:
  std::vector<std::int64_t> first, count, rank, live_bytes_start, live_bytes_end;
  std::vector<std::int64_t> live_at_start, live_peak;  // [case], of rank 0
  std::vector<double> start, end;
  std::vector<std::string> resource, label;

  void add_case(Workload const& workload, CaseTimeline const& item) {
    first.push_back(static_cast<std::int64_t>(start.size()));
    live_at_start.push_back(-1);
    live_peak.push_back(-1);
    for (std::size_t r = 0; r < item.ranks.size(); ++r) add_rank(workload, r, item.graph, item.ranks[r]);
    count.push_back(static_cast<std::int64_t>(start.size()) - first.back());
  }

 private:
  void add_rank(Workload const& workload, std::size_t on_rank, model::StepGraph const& graph,
                model::StepTrace const& trace) {
    buckets_ = 0;
    const auto live = model::live_memory(graph, trace);
    if (on_rank == 0) {
      live_at_start.back() = live.at_start;
      live_peak.back() = live.peak;
    }
    for (std::size_t t = 0; t < trace.tasks.size(); ++t) {
      if (!add_task(workload, graph.tasks[t])) continue;
      start.push_back(trace.tasks[t].start);
      end.push_back(trace.tasks[t].end);
      rank.push_back(static_cast<std::int64_t>(on_rank));
      live_bytes_start.push_back(live.during[t]);
      live_bytes_end.push_back(live.after[t]);
    }
  }

  // Adds the resource and the label of a task. Returns false if the task is not an event of the timeline.
  bool add_task(Workload const& workload, model::Task const& task) {
    if (auto const* compute = std::get_if<model::Compute>(&task.work); compute)
      return add_names("compute", workload.pass.operations[index(compute->op)].name);
    if (auto const* copy = std::get_if<model::Copy>(&task.work); copy)
      return add_names("compute", copy->kind == model::CopyKind::into_bucket ? "copy in" : "copy out");
    if (std::holds_alternative<model::Collective>(task.work))
      return add_names("communication", "bucket " + std::to_string(buckets_++));
    return false;
  }

  bool add_names(std::string where, std::string what) {
    resource.push_back(std::move(where));
    label.push_back(std::move(what));
    return true;
  }

  std::size_t buckets_ = 0;  // number of buckets of the current rank so far
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
  writer_.write("/timeline/live_bytes_start", events.live_bytes_start);
  writer_.write("/timeline/live_bytes_end", events.live_bytes_end);
  writer_.write("/memory/live_at_start", events.live_at_start);
  writer_.write("/memory/live_peak", events.live_peak);
}

void Recorder::step_memory(std::size_t allocated, std::vector<std::int64_t> const& predicted_peaks) {
  writer_.write("/memory/allocated", Integers{static_cast<std::int64_t>(allocated)});
  writer_.write("/memory/predicted_peak", predicted_peaks);
}

}  // namespace ddproxy
