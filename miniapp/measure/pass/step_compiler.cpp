// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/step_compiler.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::index;

[[noreturn]] void refuse(model::Task const& task, std::string const& why) {
  throw std::logic_error("run_step cannot carry out " + model::describe(task) + ": " + why);
}

// Returns true if a task is no compute task, or belongs to the backward pass of the first micro-batch. Every
// class that implements ComputeLane can carry out the compute tasks of this backward pass.
bool is_backward(model::Task const& task) {
  auto const* compute = std::get_if<model::Compute>(&task.work);
  return !compute || (compute->phase == model::Phase::backward && compute->micro_batch == 0);
}

// Returns whether a task transfers elements in another format than fp32.
bool has_rounded(model::Task const& task) {
  return std::ranges::any_of(model::collectives_of(task),
                             [](auto const& each) { return each.wire != model::DataType::fp32; });
}

bool is_collective(model::Task const& task) {
  return !model::collectives_of(task).empty();
}

}  // namespace

// The constructor of CompiledStep is defined here, so that compiled_step.* need not include
// step_compiler.hpp.
CompiledStep::CompiledStep(model::StepGraph graph, std::span<const std::size_t> places,
                           std::vector<GroupPlace> const& groups)
    : graph_(std::move(graph)) {
  StepCompiler(*this, places, groups).compile();
}

StepCompiler::StepCompiler(CompiledStep& step, std::span<const std::size_t> places,
                           std::vector<GroupPlace> const& groups)
    : step_(step), places_(places), groups_(groups) {}

void StepCompiler::compile() {
  find_lanes();
  rounds_ = std::ranges::any_of(step_.graph_.tasks, has_rounded);
  only_backward_ = std::ranges::all_of(step_.graph_.tasks, is_backward);
  step_.launches_.reserve(step_.graph_.tasks.size());
  for (auto const& task : step_.graph_.tasks) {
    Parts parts;
    Launch launch = launch_of(task, parts);
    add_waits(task, launch, parts);
    step_.launches_.push_back(launch);
    parts_.push_back(parts);
  }
  step_.ends_.resize(step_.launches_.size());
  point_into_step();
}

void StepCompiler::point_into_step() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Launch& launch = step_.launches_[i];
    Parts const& parts = parts_[i];
    launch.waits = {step_.waits_.data() + parts.wait, parts.waits};
    if (parts.waits > 0) launch.wait = launch.waits.front();
    if (launch.kind == Launch::Kind::collective)
      launch.calls = {step_.collectives_[launch.lane].data() + launch.first, parts.calls};
    if (launch.kind == Launch::Kind::phase)
      step_.phases_[launch.operation].accesses = {step_.accesses_.data() + parts.accesses,
                                                  step_.graph_.tasks[i].accesses.size()};
  }
}

void StepCompiler::find_lanes() {
  for (auto const& task : step_.graph_.tasks) {
    if (!is_collective(task)) continue;
    if (task.lane.kind != model::LaneKind::communication) refuse(task, "its lane does not communicate");
    lane_.emplace(task.lane, 0);
  }
  std::size_t number = 0;
  for (auto& [_, lane] : lane_) lane = number++;
  step_.lanes_.assign(lane_.size(), model::CommunicatorId{nothing});
  step_.collectives_.resize(std::max<std::size_t>(lane_.size(), 1));
}

GroupPlace StepCompiler::place(model::Task const& task, model::CommunicatorId communicator) const {
  if (index(communicator) >= groups_.size())
    refuse(task, "this rank has no place in communicator " + std::to_string(index(communicator)));
  return groups_[index(communicator)];
}

model::Slice StepCompiler::placed(model::Access const& access) const {
  return {places_[index(access.buffer)] + access.slice.offset, access.slice.count};
}

model::Slice StepCompiler::own_part(model::Task const& task, model::Access const& access) const {
  const model::Slice slice = placed(access);
  return access.part ? ddproxy::own_part(slice, place(task, *access.part)) : slice;
}

PlacedAccess StepCompiler::placed_access(model::Task const& task, model::Access const& access) const {
  const model::Slice slice = own_part(task, access);
  const auto by = access.part ? access.part : access.shard;
  const std::size_t parts_before = by ? static_cast<std::size_t>(place(task, *by).rank) : 0;
  return {slice, access.mode, access.content, access.model + parts_before * slice.count, access.last_use};
}

Launch StepCompiler::launch_of(model::Task const& task, Parts& parts) {
  using Kind = Launch::Kind;
  if (is_collective(task)) return of_collectives(task, parts);
  if (task.lane != model::Lane{})
    refuse(task,
           "it is no collective, so it must be on compute lane 0, but the graph puts it on another lane");
  if (std::holds_alternative<model::Compute>(task.work)) return of_compute(task, parts);
  if (std::holds_alternative<model::Copy>(task.work))
    return {
        .kind = Kind::copy, .slice = placed(task.accesses.at(0)), .to = placed(task.accesses.at(1)).offset};
  if (std::holds_alternative<model::HostWait>(task.work)) return {.kind = Kind::host_wait};
  refuse(task, "it does nothing");
}

Launch StepCompiler::of_compute(model::Task const& task, Parts& parts) {
  auto const& compute = std::get<model::Compute>(task.work);
  if (only_backward_) return {.kind = Launch::Kind::compute, .operation = index(compute.op)};
  parts.accesses = step_.accesses_.size();
  for (auto const& access : task.accesses) step_.accesses_.push_back(placed_access(task, access));
  step_.phases_.push_back({compute, {}});
  return {.kind = Launch::Kind::phase, .operation = step_.phases_.size() - 1};
}

Launch StepCompiler::of_collectives(model::Task const& task, Parts& parts) {
  const auto collectives = model::collectives_of(task);
  const std::size_t lane = lane_.at(task.lane);
  auto& calls = step_.collectives_[lane];
  auto& communicator = step_.lanes_[lane];
  const Launch launch{.kind = Launch::Kind::collective,
                      .lane = static_cast<std::uint32_t>(lane),
                      .first = static_cast<std::uint32_t>(calls.size())};
  parts.calls = collectives.size();
  if (index(communicator) == nothing) communicator = collectives.front().communicator;
  const bool is_group = std::holds_alternative<std::vector<model::Collective>>(task.work);
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    if (collectives[i].communicator != communicator)
      refuse(task, "its lane has collectives of two communicators");
    const std::span<const model::Access> accesses(task.accesses);
    calls.push_back(call_of(task, is_group ? accesses.subspan(i, 1) : accesses, collectives[i]));
  }
  step_.largest_group_ = std::max(step_.largest_group_, collectives.size());
  return launch;
}

CollectiveCall StepCompiler::call_of(model::Task const& task, std::span<const model::Access> accesses,
                                     model::Collective const& collective) const {
  CollectiveCall call{
      collective.verb, {}, {}, static_cast<int>(collective.root_or_peer.value_or(0)), collective.reduction};
  call.exact = rounds_ && collective.wire == model::DataType::fp32;
  place(task, collective.communicator);
  for (auto const& access : accesses) {
    const model::Slice slice = own_part(task, access);
    const bool adds = access.mode == model::AccessMode::contribute;
    if (adds && collective.verb != model::Verb::reduce_scatter)
      refuse(task, "only a reduce_scatter can add its result to the values in memory");
    call.adds = call.adds || adds;
    if (access.mode == model::AccessMode::read || access.mode == model::AccessMode::modify) call.read = slice;
    if (access.mode != model::AccessMode::read) call.assigned = slice;
  }
  return call;
}

// The task depends on the tasks in task.after. For each lane, other than the task's own, that carries out
// some of these tasks, adds one wait: for the last of these tasks on that lane. A lane completes its tasks in
// order, so this wait covers the earlier ones. Copies run on the compute lane.
void StepCompiler::add_waits(model::Task const& task, Launch& launch, Parts& parts) {
  const bool communicates = launch.kind == Launch::Kind::collective;
  std::map<std::size_t, std::size_t> last;  // [lane]
  for (const auto before : task.after) {
    Launch const& other = step_.launches_.at(index(before));
    const bool of_communication = other.kind == Launch::Kind::collective;
    const std::size_t lane = of_communication ? other.lane : nothing;
    if (lane == (communicates ? launch.lane : nothing)) continue;
    const std::size_t number =
        of_communication ? other.first + parts_[index(before)].calls - 1 : index(before);
    const auto [at, is_new] = last.try_emplace(lane, number);
    if (!is_new) at->second = std::max(at->second, number);
  }
  parts.wait = step_.waits_.size();
  parts.waits = last.size();
  for (auto const& [lane, number] : last) step_.waits_.push_back({lane, number});
  if (!communicates || last.size() < 2) return;
  launch.join = static_cast<std::uint32_t>(step_.joins_.size());
  step_.joins_.emplace_back(last.size());
}

}  // namespace ddproxy
