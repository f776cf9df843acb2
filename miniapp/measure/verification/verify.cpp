// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/verification/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/device/device.hpp"
#include "model/step/check/check.hpp"
#include "model/step/strategies/named_strategy.hpp"

namespace ddproxy {
namespace {

// A bucket and its number, from 0 in the order of issue.
struct Numbered {
  FinishedCall bucket;
  std::size_t number;
};

// Returns the buckets in the order of their gradients.
std::vector<Numbered> in_ready_order(std::vector<FinishedCall> const& buckets) {
  std::vector<Numbered> all;
  for (auto const& bucket : buckets) all.push_back({bucket, all.size()});
  std::ranges::stable_sort(all, {}, [](Numbered const& one) { return one.bucket.call.assigned.offset; });
  return all;
}

// Checks that the lane reduced the buckets of the step, in the order of the step.
std::string check_issue(std::vector<FinishedCall> const& buckets, CompiledStep const& step) {
  auto const& asked = step.collectives();
  if (buckets.size() != asked.size())
    return fmt::format("{} buckets were reduced, but the step has {}", buckets.size(), asked.size());
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (!(buckets[k].call == asked[k]))
      return fmt::format(
          "bucket {} has {} elements from element {}, but the step asked for {} from element {}", k,
          buckets[k].call.assigned.count, buckets[k].call.assigned.offset, asked[k].assigned.count,
          asked[k].assigned.offset);
  return "";
}

// Checks that the buckets cover each of the `elements` gradient elements exactly once.
std::string check_coverage(std::vector<Numbered> const& buckets, std::size_t elements) {
  const std::size_t first = buckets.empty() ? 0 : buckets.front().bucket.call.assigned.offset;
  std::size_t next = 0;
  for (auto const& [bucket, number] : buckets) {
    const std::size_t offset = bucket.call.assigned.offset - first;
    if (offset != next)
      return fmt::format("a bucket starts at element {}, but the next element to reduce is {}", offset, next);
    next += bucket.call.assigned.count;
  }
  return next == elements ? "" : fmt::format("{} of {} elements were reduced", next, elements);
}

std::string check_count(std::int64_t reduced, std::size_t elements) {
  const auto due = static_cast<std::int64_t>(elements);
  if (reduced == due) return "";
  return fmt::format("{} elements were reduced, but the buckets hold {}: an element was reduced {}", reduced,
                     due, reduced > due ? "more than once" : "not at all");
}

// The largest error in the comparison of a time of the device with a time of the host.
constexpr auto clocks_agree = std::chrono::microseconds(50);

// Checks two times of the bucket of each gradient: when the bucket was declared ready, and when its reduction
// started. Neither may be before the end of the operator that completes the gradient. `ends` has the end of
// each operator.
std::string check_times(std::vector<Numbered> const& buckets, Workload const& workload,
                        std::vector<Clock::time_point> const& ends) {
  const std::size_t first = buckets.front().bucket.call.assigned.offset;
  auto at = buckets.begin();
  for (auto const& gradient : workload.pass.gradients) {
    while (first + gradient.offset >= at->bucket.call.assigned.end()) ++at;
    const auto end = ends[gradient.operation];
    if (at->bucket.ready < end)
      return fmt::format("bucket {} was declared ready before its gradient {} was complete", at->number,
                         gradient.name);
    if (at->bucket.start + clocks_agree < end)
      return fmt::format("the reduction of bucket {} started before its gradient {} was complete", at->number,
                         gradient.name);
  }
  return "";
}

int groups_of(Runtime const& runtime, Workload const& workload) {
  return verification_groups(workload.wire, runtime.ranks());
}

std::string check_buffer(Runtime const& runtime, Workload const& workload, std::span<float> elements) {
  const auto wrong = find_wrong(kernels::view_of(elements), {0, elements.size()}, runtime.ranks(),
                                groups_of(runtime, workload));
  if (wrong.count == 0) return "";
  return fmt::format("rank {}: {} of {} elements are wrong, the first is {}", runtime.rank(), wrong.count,
                     elements.size(), workload.pass.gradients.name_of(static_cast<std::size_t>(wrong.first)));
}

// Checks each buffer that, as declared in the graph, must hold averaged gradients at the end of the step.
std::string check_numbers(Runtime const& runtime, Workload const& workload, model::StepGraph const& graph,
                          PlacedMemory const& where) {
  for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
    if (graph.buffers[b].at_exit.content != model::Content::gradient) continue;
    const std::size_t first = where.places[b];
    const auto wrong =
        check_buffer(runtime, workload, where.memory.subspan(first, graph.buffers[b].elements));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string verify_graphs(model::RankGraphs const& graphs) {
  if (const auto unfit = model::unfit_for_sweep(graphs); !unfit.empty()) return unfit;
  const auto violations = model::check(graphs);
  return violations.empty() ? "" : "the step graph is wrong: " + violations.front().what;
}

std::string verify_order(Workload const& workload, CompiledStep& step, ComputeLane& compute,
                         CommunicationLane& allreduce) {
  const auto before = allreduce.elements_handed_over()[model::Verb::all_reduce];
  run_step(step, compute, allreduce);
  if (const auto issue = check_issue(allreduce.finished(), step); !issue.empty()) return issue;
  const auto buckets = in_ready_order(allreduce.finished());
  const std::size_t elements = workload.pass.gradients.elements();
  if (const auto coverage = check_coverage(buckets, elements); !coverage.empty()) return coverage;
  const auto count =
      check_count(allreduce.elements_handed_over()[model::Verb::all_reduce] - before, elements);
  return count.empty() ? check_times(buckets, workload, step.operator_ends()) : count;
}

std::string verify_numbers(Runtime const& runtime, Workload const& workload, CompiledStep& step,
                           PlacedMemory const& where, CommunicationLane& allreduce) {
  const kernels::Floats memory = kernels::view_of(where.memory);
  poison(memory);
  VerificationLane compute(workload.pass, memory, where.gradients_at, runtime.rank(), {},
                           groups_of(runtime, workload));
  synchronise_clocks();
  runtime.barrier();
  const auto order = [&] {
    const auto limit = runtime.limited_on_device();
    return verify_order(workload, step, compute, allreduce);
  }();
  const auto numbers = check_numbers(runtime, workload, step.graph(), where);
  return numbers.empty() ? order : numbers;
}

}  // namespace ddproxy
