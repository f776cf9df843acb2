// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/run_step.hpp"

#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/run_ahead.hpp"

namespace ddproxy {
namespace {

using Kind = Launch::Kind;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run: what the lanes have been asked for so far.
class StepRun {
 public:
  StepRun(CompiledStep& step, ComputeLane& compute, CommunicationLane& allreduce)
      : step_(step), compute_(compute), allreduce_(allreduce), run_ahead_(compute.operations()) {}

  StepTimes run() {
    allreduce_.begin(step_.all_reduces().size());
    times_ = {Clock::now(), 0, 0};
    compute_.begin();
    const auto launches = step_.launches();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].kind == Kind::all_reduce)
        start_all_reduce(launches[i]);
      else
        run_on_compute_lane(launches[i], step_.ends()[i]);
    }
    allreduce_.wait_all();  // before the fence, which would wait for ever for a reduction that stands still
    if (compute_is_busy_) compute_.fence();
    times_.total = since(times_.start);
    return times_;
  }

 private:
  void start_all_reduce(Launch const& launch) {
    const bool at_once = launch.waits_for == nothing;
    allreduce_.start_all_reduce(launch.slice,
                                at_once ? Completion{times_.start} : step_.ends()[launch.waits_for]);
  }

  void run_on_compute_lane(Launch const& launch, Completion& end) {
    allreduce_.progress();
    if (launch.waits_for != nothing) compute_.wait_for(allreduce_.wait_for(launch.waits_for));
    if (launch.kind == Kind::compute) compute_.run(launch.operation);
    if (launch.kind == Kind::copy) compute_.copy(launch.slice, launch.to);
    if (launch.kind == Kind::host_wait) return wait_for_host(end);
    compute_is_busy_ = true;
    end = compute_.completion();
    if constexpr (on_device) {
      if (launch.kind == Kind::compute) run_ahead_.asked(end);
    }
  }

  void wait_for_host(Completion& end) {
    compute_.fence();
    compute_is_busy_ = false;
    times_.backward_end = since(times_.start);
    end = {Clock::now()};
  }

  CompiledStep& step_;
  ComputeLane& compute_;
  CommunicationLane& allreduce_;
  RunAhead run_ahead_;
  StepTimes times_{};
  bool compute_is_busy_ = false;  // asked for something since the host last waited
};

}  // namespace

StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& allreduce) {
  return StepRun(step, compute, allreduce).run();
}

}  // namespace ddproxy
