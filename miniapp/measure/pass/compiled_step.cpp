// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/compiled_step.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::index;

model::Slice placed(model::Access const& access, std::span<const std::size_t> places) {
  return {places[index(access.buffer)] + access.slice.offset, access.slice.count};
}

[[noreturn]] void refuse(model::Task const& task) {
  throw std::logic_error("run_step cannot carry out: " + model::describe(task));
}

Launch all_reduce(model::Task const& task, std::span<const std::size_t> places) {
  if (std::get<model::Collective>(task.work).verb != model::Verb::all_reduce) refuse(task);
  Launch launch{.kind = Launch::Kind::all_reduce, .slice = placed(task.accesses.at(0), places)};
  // Tasks to wait for are of the compute lane: there is one communication lane, and it keeps its order.
  for (const auto before : task.after)
    launch.waits_for =
        launch.waits_for == nothing ? index(before) : std::max(launch.waits_for, index(before));
  return launch;
}

}  // namespace

CompiledStep::CompiledStep(model::StepGraph graph, std::span<const std::size_t> places)
    : graph_(std::move(graph)) {
  launches_.reserve(graph_.tasks.size());
  for (auto const& task : graph_.tasks) {
    launches_.push_back(launch_of(task, places));
    const bool reduces = launches_.back().kind == Launch::Kind::all_reduce;
    number_.push_back(reduces ? all_reduces_.size() : nothing);
    if (reduces) all_reduces_.push_back(launches_.back().slice);
  }
  ends_.resize(launches_.size());
}

Launch CompiledStep::launch_of(model::Task const& task, std::span<const std::size_t> places) const {
  using Kind = Launch::Kind;
  if (std::holds_alternative<model::Collective>(task.work)) return all_reduce(task, places);
  const std::size_t waits_for = last_all_reduce_before(task);
  if (auto const* compute = std::get_if<model::Compute>(&task.work); compute) {
    if (compute->phase != model::Phase::backward || compute->micro_batch != 0) refuse(task);
    return {.kind = Kind::compute, .operation = index(compute->op), .waits_for = waits_for};
  }
  if (std::holds_alternative<model::Copy>(task.work))
    return {.kind = Kind::copy,
            .slice = placed(task.accesses.at(0), places),
            .to = placed(task.accesses.at(1), places).offset,
            .waits_for = waits_for};
  if (std::holds_alternative<model::HostWait>(task.work))
    return {.kind = Kind::host_wait, .waits_for = waits_for};
  refuse(task);
}

// The communication lane keeps its order, so the last one has ended after all others.
std::size_t CompiledStep::last_all_reduce_before(model::Task const& task) const {
  std::size_t last = nothing;
  for (const auto before : task.after) {
    const std::size_t number = number_[index(before)];
    if (number != nothing) last = last == nothing ? number : std::max(last, number);
  }
  return last;
}

std::vector<Clock::time_point> CompiledStep::operator_ends() const {
  std::vector<Clock::time_point> ends;
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (launches_[i].kind == Launch::Kind::compute) ends.push_back(moment_of(ends_[i]));
  return ends;
}

}  // namespace ddproxy
