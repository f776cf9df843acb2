// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/timeline_columns.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "miniapp/app/record/recorder_columns.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::LiveMemory;

bool is_whole_step(model::StepGraph const& graph) {
  return std::ranges::any_of(graph.tasks, [](model::Task const& task) {
    auto const* compute = std::get_if<model::Compute>(&task.work);
    return compute && compute->phase == model::Phase::forward;
  });
}

// Returns whether the step gathers parameters unit by unit (FSDP).
bool has_units(model::StepGraph const& graph) {
  return std::ranges::any_of(graph.buffers, [](model::Buffer const& buffer) {
    return buffer.kind == model::BufferKind::gathered_unit;
  });
}

// Returns, for each bucket or unit whose gradients the step reduces, the index of its first element in the
// model.
std::set<std::size_t> reduced_runs(model::StepGraph const& graph) {
  std::set<std::size_t> starts;
  for (auto const& task : graph.tasks)
    if (std::holds_alternative<model::Collective>(task.work) &&
        task.accesses.front().content == model::Content::gradient)
      starts.insert(task.accesses.front().model);
  return starts;
}

// The texts of an event.
struct EventName {
  std::string resource, label, phase;
};

// Names the events of one rank.
class EventNames {
 public:
  EventNames(Workload const& workload, model::StepGraph const& graph)
      : operations_(workload.pass.operations),
        whole_step_(is_whole_step(graph)),
        several_(graph.expected.micro_batches > 1),
        run_(has_units(graph) ? "unit " : "bucket "),
        runs_(reduced_runs(graph)) {}

  // Returns nothing if the task is not an event of the timeline.
  std::optional<EventName> name(model::Task const& task) const {
    if (auto const* compute = std::get_if<model::Compute>(&task.work); compute)
      return EventName{"compute", label_of(task, *compute), std::string(name_of(compute->phase))};
    if (auto const* copy = std::get_if<model::Copy>(&task.work); copy)
      return EventName{"compute", copy->kind == model::CopyKind::into_bucket ? "copy in" : "copy out",
                       "copy"};
    if (auto const* collective = std::get_if<model::Collective>(&task.work); collective)
      return EventName{name_of(task.lane), label_of(task, collective->verb),
                       std::string(name_of(collective->verb))};
    return std::nullopt;
  }

 private:
  // Norm, clip and update tasks have no operator, but use one bucket or unit.
  std::string label_of(model::Task const& task, model::Compute const& compute) const {
    if (!whole_step_) return operations_[index(compute.op)].name;
    const std::string phase(name_of(compute.phase));
    if (compute.phase > model::Phase::backward) return phase + ", " + run_of(task);
    return phase + " " + operations_[index(compute.op)].name +
           (several_ ? ", micro-batch " + std::to_string(compute.micro_batch) : "");
  }

  // In a sweep all collectives have the same verb, so the label leaves it out.
  std::string label_of(model::Task const& task, model::Verb verb) const {
    const std::string of = whole_step_ ? std::string(name_of(verb)) + ", " : "";
    return of + (task.accesses.front().content == model::Content::norm ? "norm" : run_of(task));
  }

  // Returns the name of the bucket or unit that a task uses, for instance "bucket 3". This is the bucket or
  // unit that contains the last element of the task's first access to gradients or parameters. Padding does
  // not count. An access that has only padding starts at the end of its bucket or unit, and gets its name.
  std::string run_of(model::Task const& task) const {
    auto const& access = *std::ranges::find_if(
        task.accesses, [](auto const& each) { return each.content != model::Content::norm; });
    const auto end = runs_.lower_bound(access.model + access.slice.count - access.padding);
    return run_ + std::to_string(std::max<std::ptrdiff_t>(std::distance(runs_.begin(), end) - 1, 0));
  }

  std::vector<model::Operation> const& operations_;
  bool whole_step_, several_;   // several: the step has more than one micro-batch
  std::string run_;             // "bucket " or "unit "
  std::set<std::size_t> runs_;  // result of reduced_runs(); buckets or units are numbered from 0
};

}  // namespace

void TimelineColumns::add_case(Workload const& workload, CaseTimeline const& item) {
  has_whole_steps_ = has_whole_steps_ || is_whole_step(item.graph);
  first_.push_back(static_cast<std::int64_t>(start_.size()));
  memory_.push_back({.at_start = -1, .peak = -1});
  LiveMemory predicted;
  if (!item.predicted.tasks.empty()) predicted = model::live_memory(item.graph, item.predicted);
  for (std::size_t r = 0; r < item.ranks.size(); ++r) add_rank(workload, item, predicted, r);
  count_.push_back(static_cast<std::int64_t>(start_.size()) - first_.back());
}

void TimelineColumns::add_rank(Workload const& workload, CaseTimeline const& item,
                               LiveMemory const& predicted, std::size_t on_rank) {
  auto const& trace = item.ranks[on_rank];
  auto live = model::live_memory(item.graph, trace);
  EventNames names(workload, item.graph);
  for (std::size_t t = 0; t < trace.tasks.size(); ++t) {
    const auto name = names.name(item.graph.tasks[t]);
    if (!name) continue;
    resource_.push_back(name->resource);
    label_.push_back(name->label);
    phase_.push_back(name->phase);
    start_.push_back(trace.tasks[t].start);
    end_.push_back(trace.tasks[t].end);
    rank_.push_back(static_cast<std::int64_t>(on_rank));
    live_bytes_start_.push_back(live.during[t]);
    live_bytes_end_.push_back(live.after[t]);
    if (item.predicted.tasks.empty()) continue;
    predicted_start_.push_back(item.predicted.tasks.at(t).start);
    predicted_end_.push_back(item.predicted.tasks.at(t).end);
    predicted_live_start_.push_back(predicted.during[t]);
    predicted_live_end_.push_back(predicted.after[t]);
  }
  if (on_rank == 0) memory_.back() = std::move(live);
}

void TimelineColumns::write(results::Writer& writer) const {
  writer.write("/timeline/first", first_);
  writer.write("/timeline/count", count_);
  writer.write("/timeline/start", start_);
  writer.write("/timeline/end", end_);
  writer.write("/timeline/resource", resource_);
  writer.write("/timeline/label", label_);
  writer.write("/timeline/event_rank", rank_);
  writer.write("/timeline/live_bytes_start", live_bytes_start_);
  writer.write("/timeline/live_bytes_end", live_bytes_end_);
  if (has_whole_steps_) writer.write("/timeline/phase", phase_);
  if (!predicted_start_.empty()) {
    writer.write("/timeline/predicted_start", predicted_start_);
    writer.write("/timeline/predicted_end", predicted_end_);
    writer.write("/timeline/predicted_live_bytes_start", predicted_live_start_);
    writer.write("/timeline/predicted_live_bytes_end", predicted_live_end_);
  }
  writer.write("/memory/live_at_start", column<Integers>(memory_, &LiveMemory::at_start));
  writer.write("/memory/live_peak", column<Integers>(memory_, &LiveMemory::peak));
  write_kinds(writer);
}

void TimelineColumns::write_kinds(results::Writer& writer) const {
  std::set<model::BufferKind> kinds;
  for (auto const& memory : memory_)
    for (auto const& [kind, bytes] : memory.kinds) kinds.insert(kind);
  if (kinds.empty()) return;
  Integers at_peak, peak;
  for (auto const& memory : memory_)
    for (const auto kind : kinds) {
      const auto found = memory.kinds.find(kind);
      const model::KindMemory missing = memory.peak < 0 ? model::KindMemory{-1, -1} : model::KindMemory{};
      auto const& bytes = found == memory.kinds.end() ? missing : found->second;
      at_peak.push_back(bytes.at_peak);
      peak.push_back(bytes.peak);
    }
  writer.write("/memory/kind", column<Texts>(kinds, [](auto kind) { return std::string(name_of(kind)); }));
  writer.write("/memory/kind_at_peak", at_peak, {memory_.size(), kinds.size()});
  writer.write("/memory/kind_peak", peak, {memory_.size(), kinds.size()});
}

}  // namespace ddproxy
