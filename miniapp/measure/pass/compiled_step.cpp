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

// The elements of an access on this rank: where it has a part for each rank, that of its place.
model::Slice own_part(model::Access const& access, std::span<const std::size_t> places, GroupPlace place) {
  model::Slice slice = placed(access, places);
  if (!access.part) return slice;
  slice.count /= static_cast<std::size_t>(place.ranks);
  slice.offset += static_cast<std::size_t>(place.rank) * slice.count;
  return slice;
}

CollectiveCall call_of(model::Task const& task, std::span<const std::size_t> places, GroupPlace place) {
  auto const& collective = std::get<model::Collective>(task.work);
  CollectiveCall call{
      collective.verb, {}, {}, static_cast<int>(collective.root_or_peer.value_or(0)), collective.reduction};
  for (auto const& access : task.accesses) {
    const model::Slice slice = own_part(access, places, place);
    if (access.mode == model::AccessMode::contribute) refuse(task);
    if (access.mode != model::AccessMode::assign) call.read = slice;
    if (access.mode != model::AccessMode::read) call.assigned = slice;
  }
  return call;
}

Launch collective(model::Task const& task, std::span<const std::size_t> places, GroupPlace place) {
  auto const& work = std::get<model::Collective>(task.work);
  if (index(work.communicator) != 0 || task.lane != model::Lane{model::LaneKind::communication, 0})
    refuse(task);
  Launch launch{.kind = Launch::Kind::collective, .call = call_of(task, places, place)};
  // Tasks to wait for are of the compute lane: there is one communication lane, and it keeps its order.
  for (const auto before : task.after)
    launch.waits_for =
        launch.waits_for == nothing ? index(before) : std::max(launch.waits_for, index(before));
  return launch;
}

}  // namespace

CompiledStep::CompiledStep(model::StepGraph graph, std::span<const std::size_t> places, GroupPlace place)
    : graph_(std::move(graph)) {
  launches_.reserve(graph_.tasks.size());
  for (auto const& task : graph_.tasks) {
    launches_.push_back(launch_of(task, places, place));
    const bool communicates = launches_.back().kind == Launch::Kind::collective;
    number_.push_back(communicates ? collectives_.size() : nothing);
    if (communicates) collectives_.push_back(launches_.back().call);
  }
  ends_.resize(launches_.size());
}

Launch CompiledStep::launch_of(model::Task const& task, std::span<const std::size_t> places,
                               GroupPlace place) const {
  using Kind = Launch::Kind;
  if (std::holds_alternative<model::Collective>(task.work)) return collective(task, places, place);
  const std::size_t waits_for = last_collective_before(task);
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
std::size_t CompiledStep::last_collective_before(model::Task const& task) const {
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
