// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/run_step.hpp"

#include <stdexcept>
#include <string>

#include "miniapp/device/completion.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/run_ahead.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using Kind = Launch::Kind;

// One run of a step.
class StepRun {
 public:
  StepRun(CompiledStep& step, ComputeLane& compute, std::span<CommunicationLane* const> lanes)
      : step_(step), compute_(compute), lanes_(lanes), run_ahead_(compute.operations()) {}

  StepTimes run() {
    check();
    begin_lanes();
    times_ = {Clock::now(), 0, 0};
    compute_.begin();
    const auto launches = step_.launches();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].kind == Kind::collective)
        start_collective(launches[i]);
      else
        run_on_compute_lane(launches[i], step_.ends()[i]);
    }
    // Waits for the collectives before the fence: wait_all() reports a collective that hangs, but the fence
    // would wait for it for ever.
    for (CommunicationLane* lane : lanes_) lane->wait_all();
    if (compute_is_busy_) compute_.fence();
    times_.total = seconds_since(times_.start);
    return times_;
  }

 private:
  void check() const {
    if (lanes_.size() < step_.lanes().size())
      throw std::logic_error("the step has " + std::to_string(step_.lanes().size()) +
                             " communication lanes, and run_step was given " + std::to_string(lanes_.size()));
    for (auto const& phase : step_.phases())
      if (!compute_.knows(phase.compute))
        throw std::logic_error("run_step cannot carry out the " +
                               std::string(model::name_of(phase.compute.phase)) + " of operator " +
                               std::to_string(index(phase.compute.op)) + ", micro-batch " +
                               std::to_string(phase.compute.micro_batch) +
                               ": the compute lane has neither a kernel nor a replayed time for it");
  }

  void begin_lanes() {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (step_.largest_group() > 1) lanes_[lane]->make_room(step_.largest_group());
      lanes_[lane]->begin(step_.collectives(lane).size());
    }
  }

  // Returns the completion of the task that `wait` names. wait.lane is `nothing` for the compute lane.
  Completion completion_of(Wait const& wait) const {
    if (wait.lane == nothing) return step_.ends()[wait.number];
    return lanes_[wait.lane]->completion_of(wait.number);
  }

  // Returns the completion after which a collective may start. launch.wait is the first of launch.waits.
  Completion ready_of(Launch const& launch) {
    if (launch.waits.empty()) return {times_.start};
    return launch.waits.size() == 1 ? completion_of(launch.wait) : joined(launch);
  }

  Completion joined(Launch const& launch) {
    AllOf& all = step_.join(launch);
    all.clear();
    for (auto const& wait : launch.waits) all.add(completion_of(wait));
    return {{}, &all};
  }

  void start_collective(Launch const& launch) {
    CommunicationLane& lane = *lanes_[launch.lane];
    if (launch.calls.size() == 1)
      lane.start(launch.calls.front(), ready_of(launch));
    else
      lane.start_group(launch.calls, ready_of(launch));
  }

  void let_lanes_progress() {
    for (CommunicationLane* lane : lanes_) lane->progress();
  }

  // Calls progress() of the lanes after wait_for() and before compute begins. Reason: wait_for() may carry
  // out calls on this thread. Then progress() has fewer calls to hand over to the communication thread, and
  // each handover takes time.
  void run_on_compute_lane(Launch const& launch, Completion& end) {
    if (launch.kind == Kind::host_wait) return wait_for_host(launch, end);
    for (auto const& wait : launch.waits) compute_.wait_for(lanes_[wait.lane]->wait_for(wait.number));
    let_lanes_progress();
    if (launch.kind == Kind::compute) compute_.run(launch.operation);
    if (launch.kind == Kind::phase) compute_.carry_out(step_.phases()[launch.operation]);
    if (launch.kind == Kind::copy) compute_.copy(launch.slice, launch.to);
    compute_is_busy_ = true;
    end = compute_.completion();
    if constexpr (on_device) {  // sleeps if the host is too far ahead of the device
      if (launch.kind != Kind::copy) run_ahead_.asked(end);
    }
  }

  // Waits for the collectives of a HostWait. A HostWait without collectives is for compute.
  void wait_for_host(Launch const& launch, Completion& end) {
    for (auto const& wait : launch.waits) wait_until_over(lanes_[wait.lane]->wait_for(wait.number));
    if (launch.waits.empty()) wait_for_compute();
    end = {Clock::now()};
  }

  void wait_for_compute() {
    if constexpr (on_device) let_lanes_progress();  // on a host all compute is done
    compute_.fence();
    compute_is_busy_ = false;
    times_.backward_end = seconds_since(times_.start);
  }

  CompiledStep& step_;
  ComputeLane& compute_;
  std::span<CommunicationLane* const> lanes_;
  RunAhead run_ahead_;
  StepTimes times_{};
  bool compute_is_busy_ = false;  // work was enqueued since the host last waited for the compute lane
};

}  // namespace

StepTimes run_step(CompiledStep& step, ComputeLane& compute, std::span<CommunicationLane* const> lanes) {
  return StepRun(step, compute, lanes).run();
}

StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication) {
  CommunicationLane* const lane = &communication;
  return run_step(step, compute, {&lane, 1});
}

}  // namespace ddproxy
