// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/verify_step.hpp"

#include <fmt/format.h>

#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/verification/exact_lane.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

// The largest error in the comparison of a time of the device with a time of the host, seconds.
constexpr double clocks_agree = 50e-6;

ElementsByVerb handed_over(StepToVerify const& what) {
  ElementsByVerb all;
  for (auto const* lane : what.lanes) all += lane->elements_handed_over();
  return all;
}

std::string describe(CollectiveCall const& call) {
  const Slice slice = full_slice(call);
  return fmt::format("{} of {} elements from element {}", model::name_of(call.verb), slice.count,
                     slice.offset);
}

// Checks that a lane carried out the collectives of the step, in their order.
std::string check_issue(std::vector<CollectiveCall> const& asked, std::vector<FinishedCall> const& finished,
                        std::size_t lane) {
  if (finished.size() != asked.size())
    return fmt::format("lane {} carried out {} collectives, but the step has {} on it", lane, finished.size(),
                       asked.size());
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (!(finished[k].call == asked[k]))
      return fmt::format("collective {} of lane {} is the {}, but the step has the {}", k, lane,
                         describe(finished[k].call), describe(asked[k]));
  return "";
}

// Checks how many elements were handed to the library since `before`.
std::string check_counts(StepToVerify const& what, ElementsByVerb before) {
  ElementsByVerb due, now = handed_over(what);
  for (std::size_t lane = 0; lane < what.step.lanes().size(); ++lane)
    for (auto const& call : what.step.collectives(lane))
      due[call.verb] += static_cast<std::int64_t>(full_slice(call).count);
  for (const auto verb : model::all_verbs)
    if (const auto count = now[verb] - before[verb]; count != due[verb])
      return fmt::format("{}: {} elements were handed to the library, but the step has {}",
                         model::name_of(verb), count, due[verb]);
  return "";
}

// Checks that each task started after the tasks that it waits for.
std::string check_waits(StepToVerify const& what, StepTimes const& times) {
  std::vector<CallsOfLane> calls;
  for (auto const* lane : what.lanes) calls.push_back(&lane->finished());
  const auto trace = trace_of(times, what.step, calls);
  auto const& tasks = what.step.graph().tasks;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (const auto before : tasks[t].after)
      if (trace.tasks[t].start + clocks_agree < trace.tasks[model::index(before)].end)
        return fmt::format("task {} ({}) started before task {} ({}) had ended", t, model::describe(tasks[t]),
                           model::index(before), model::describe(tasks[model::index(before)]));
  return "";
}

// Runs the step and checks its order. Returns a message, or an empty text.
std::string run_and_check(Runtime const& runtime, StepToVerify const& what, ComputeLane& compute) {
  synchronise_clocks();
  runtime.barrier();
  const auto before = handed_over(what);
  const auto times = [&] {
    const auto limit = runtime.limited_on_device();
    return run_step(what.step, compute, what.lanes);
  }();
  for (std::size_t lane = 0; lane < what.step.lanes().size(); ++lane)
    if (const auto wrong = check_issue(what.step.collectives(lane), what.lanes[lane]->finished(), lane);
        !wrong.empty())
      return wrong;
  const auto counts = check_counts(what, before);
  return counts.empty() ? check_waits(what, times) : counts;
}

// Returns a comma and the name of the first element of the content, for instance ", wte.weight[5]". Returns
// an empty text if the content is NaN, an activation, or no element of the model.
std::string name_of_element(model::BackwardPass const& pass, ExactContent const& content) {
  using Kind = ExactContent::Kind;
  if (content.kind == Kind::poison || content.kind == Kind::activation ||
      content.first >= pass.gradients.elements())
    return "";
  return ", " + pass.gradients.name_of(content.first);
}

std::string place_of(StepToVerify const& what, std::uint64_t at) {
  auto const& buffers = what.step.graph().buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (at >= what.places[b] && at < what.places[b] + buffers[b].elements)
      return fmt::format("element {} of buffer {} ({}", at - what.places[b], b,
                         model::name_of(buffers[b].kind));
  return fmt::format("element {} of the memory of the step (between its buffers", at);
}

// Returns a text that says when the fault was found: before the compute task number `call` (from 0), or after
// the step.
std::string finder(CompiledStep const& step, std::uint64_t call) {
  for (auto const& task : step.graph().tasks)
    if (std::holds_alternative<model::Compute>(task.work) && call-- == 0)
      return "before the " + model::describe(task);
  return "after the step";
}

std::string describe(ExactFault const& fault, StepToVerify const& what, model::BackwardPass const& pass,
                     int rank) {
  const auto where = fmt::format("rank {}, {}, {}{}): ", rank, finder(what.step, fault.task),
                                 place_of(what, fault.at), name_of_element(pass, fault.content));
  if (fault.is_count)
    return where + fmt::format("the norm of the gradients must cover {:.0f} elements, but it covers {:.0f}",
                               fault.expected, fault.found);
  const bool poison = fault.content.kind == ExactContent::Kind::poison;
  const auto expected =
      poison ? "NaN, because nothing may have written it" : fmt::format("{}", fault.expected);
  return where + fmt::format("expected {}, found {}; {} comparisons on this rank failed", expected,
                             fault.found, fault.count);
}

}  // namespace

std::string verify_step_numbers(Runtime const& runtime, StepToVerify const& what,
                                model::BackwardPass const& pass) {
  const ExactPlan plan(what.step, what.places, what.groups, what.memory.size(), what.rounds);
  ExactLane compute(plan, kernels::view_of(what.memory), what.step.graph().tasks.size());
  compute.fill();
  const auto order = run_and_check(runtime, what, compute);
  const auto fault = compute.find_fault();
  if (fault) return describe(*fault, what, pass, runtime.rank());
  return order.empty() ? "" : fmt::format("rank {}: {}", runtime.rank(), order);
}

std::string verify_step_order(Runtime const& runtime, StepToVerify const& what, ComputeLane& compute) {
  const auto order = run_and_check(runtime, what, compute);
  return order.empty() ? "" : fmt::format("rank {}: {}", runtime.rank(), order);
}

}  // namespace ddproxy
