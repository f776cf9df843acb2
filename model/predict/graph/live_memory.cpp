// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/live_memory.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace ddproxy::model {
namespace {

std::int64_t bytes_of(Buffer const& buffer) {
  return static_cast<std::int64_t>(buffer.elements) * bytes_of(buffer.type);
}

bool held(BufferState const& state) {
  return state.content != Content::nothing;
}

std::set<std::size_t> buffers_of(Task const& task) {
  std::set<std::size_t> buffers;
  for (Access const& access : task.accesses) buffers.insert(index(access.buffer));
  return buffers;
}

class LiveBuffers {
 public:
  LiveBuffers(StepGraph const& graph, StepTrace const& trace)
      : graph_(graph), trace_(trace), live_(graph.buffers.size()), uses_(graph.buffers.size()) {
    for (std::size_t b = 0; b < live_.size(); ++b) {
      if (held(graph.buffers[b].at_entry)) make_live(b);
    }
    for (Task const& task : graph.tasks) {
      for (const std::size_t b : buffers_of(task)) ++uses_[b];
    }
    result_.at_start = bytes_;
    result_.changes.clear();  // buffers that are live at the start are not changes
    result_.during.resize(graph.tasks.size());
    result_.after.resize(graph.tasks.size());
  }

  LiveMemory follow() {
    std::vector<std::size_t> by_start(graph_.tasks.size());
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::ranges::stable_sort(by_start, {}, [&](std::size_t t) { return trace_.tasks[t].start; });
    for (const std::size_t t : by_start) {
      while (!running_.empty() && running_.top().first <= trace_.tasks[t].start) end_next();
      now_ = trace_.tasks[t].start;
      for (const std::size_t b : buffers_of(graph_.tasks[t])) make_live(b);
      result_.during[t] = bytes_;
      running_.emplace(trace_.tasks[t].end, t);
    }
    while (!running_.empty()) end_next();
    return std::move(result_);
  }

 private:
  using Ending = std::pair<double, std::size_t>;  // end of the task in seconds, task

  void make_live(std::size_t b) {
    if (live_[b]) return;
    live_[b] = true;
    add(b, bytes_of(graph_.buffers[b]));
    if (bytes_ <= result_.peak) return;
    result_.peak = bytes_;
    for (auto const& [kind, bytes] : of_kind_) result_.kinds[kind].at_peak = bytes;
  }

  // Adds `bytes` to the bytes of the live buffers. `bytes` is negative if buffer `b` is released.
  void add(std::size_t b, std::int64_t bytes) {
    const BufferKind of = graph_.buffers[b].kind;
    bytes_ += bytes;
    result_.changes.push_back({now_, b, bytes});
    const std::int64_t of_this_kind = of_kind_[of] += bytes;
    KindMemory& kind = result_.kinds[of];
    kind.peak = std::max(kind.peak, of_this_kind);
  }

  void end_next() {
    const auto [end, t] = running_.top();
    now_ = end;
    running_.pop();
    for (const std::size_t b : buffers_of(graph_.tasks[t])) {
      if (--uses_[b] == 0 && !held(graph_.buffers[b].at_exit)) add(b, -bytes_of(graph_.buffers[b]));
    }
    result_.after[t] = bytes_;
  }

  StepGraph const& graph_;
  StepTrace const& trace_;
  std::vector<bool> live_;  // [buffer]; stays true after the release, because no later task uses the buffer
  std::vector<std::size_t> uses_;  // [buffer]: number of tasks that use it and have not ended
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running_;
  double now_ = 0;  // time of the change that is being made, in seconds
  std::int64_t bytes_ = 0;
  std::map<BufferKind, std::int64_t> of_kind_;  // live bytes
  LiveMemory result_;
};

}  // namespace

LiveMemory live_memory(StepGraph const& graph, StepTrace const& trace) {
  return LiveBuffers(graph, trace).follow();
}

}  // namespace ddproxy::model
