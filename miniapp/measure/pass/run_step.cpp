// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/run_step.hpp"

#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/run_ahead.hpp"

namespace ddproxy {
namespace {

using Kind = Launch::Kind;

/// One run: what the lanes have been asked for so far.
class StepRun {
 public:
  StepRun(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication)
      : step_(step), compute_(compute), communication_(communication), run_ahead_(compute.operations()) {}

  StepTimes run() {
    communication_.begin(step_.collectives().size());
    times_ = {Clock::now(), 0, 0};
    compute_.begin();
    const auto launches = step_.launches();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].kind == Kind::collective)
        start_collective(launches[i]);
      else
        run_on_compute_lane(launches[i], step_.ends()[i]);
    }
    communication_
        .wait_all();  // before the fence, which would wait for ever for a reduction that stands still
    if (compute_is_busy_) compute_.fence();
    times_.total = seconds_since(times_.start);
    return times_;
  }

 private:
  void start_collective(Launch const& launch) {
    const bool at_once = launch.waits_for == nothing;
    communication_.start(launch.call, at_once ? Completion{times_.start} : step_.ends()[launch.waits_for]);
  }

  void run_on_compute_lane(Launch const& launch, Completion& end) {
    communication_.progress();
    if (launch.waits_for != nothing) compute_.wait_for(communication_.wait_for(launch.waits_for));
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
    times_.backward_end = seconds_since(times_.start);
    end = {Clock::now()};
  }

  CompiledStep& step_;
  ComputeLane& compute_;
  CommunicationLane& communication_;
  RunAhead run_ahead_;
  StepTimes times_{};
  bool compute_is_busy_ = false;  // asked for something since the host last waited
};

}  // namespace

StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication) {
  return StepRun(step, compute, communication).run();
}

}  // namespace ddproxy
