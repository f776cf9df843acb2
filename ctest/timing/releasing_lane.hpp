// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "ctest/miniapp/counting_engine.hpp"
#include "ctest/timing/resident_pages.hpp"
#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// A compute lane that hands all calls on to a StepLane, and gives memory back to the operating system.
///
/// Problem: ddproxy keeps every buffer of a step for the whole step, so its resident memory is that of all
/// buffers. The prediction of `ddproxy memory` is about a program that allocates a buffer when it is first
/// used and frees it after its last use. This lane does the same with the pages of the buffers. A buffer
/// becomes resident as a whole, filled with NaN, before the first task that uses it. If this task is a
/// collective, FillingEngine fills the buffer. A buffer is released before the next compute task after its
/// last use. So the operating system measures the memory of a task, and no sizes of buffers are added up.
/// The pages of a released buffer hold zeros. A task that uses a buffer after its release therefore
/// computes wrong numbers.
///
/// Before each compute task the lane waits until the collectives that were issued before it have begun. So at
/// most one collective of each communication lane is in flight, as on a link that keeps up with compute. On a
/// slower link, buckets that wait for their reduction stay live, and the memory depends on the speed of the
/// link.
///
/// Order of calls: construct the lane, then watch(), then for each step run_step() and end_step().
class ReleasingLane : public ComputeLane {
 public:
  /// `memory` has the buffers of the step at `places`. `lane` carries out the tasks. `lane` and `step` must
  /// outlive this object.
  ReleasingLane(StepLane& lane, kernels::Floats memory, StepPlaces const& places, CompiledStep const& step)
      : lane_(lane),
        memory_(std::move(memory)),
        step_(step),
        uses_(step.graph().buffers.size()),
        begun_(step.lanes().size()) {
    auto const& graph = step.graph();
    for (std::size_t b = 0; b < uses_.size(); ++b) {
      uses_[b].pages = {memory_.data() + places.first[b], graph.buffers[b].elements};
      uses_[b].kept = graph.buffers[b].at_exit.content != model::Content::nothing;
    }
    issued_.resize(step.lanes().size());
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) add_uses(t);
  }

  /// From now on releases buffers and measures. `lanes` are the communication lanes of the step. `baseline`
  /// is resident memory in bytes, which is subtracted from each measured value.
  void watch(std::vector<CommunicationLane*> lanes, double baseline) {
    lanes_ = std::move(lanes);
    baseline_ = baseline;
    watching_ = true;
  }

  std::size_t operations() const override { return lane_.operations(); }
  void begin() override {
    task_ = 0;
    for (auto& begun : begun_) begun = 0;
    phases.clear();
    start = before_update = resident();
    for (Use& use : uses_) use.resident = use.first_call != no_call;  // fill_before_call() fills it
    lane_.begin();
  }
  void run(std::size_t operation) override { lane_.run(operation); }
  bool knows(model::Compute const& compute) const override { return lane_.knows(compute); }
  void carry_out(ComputeCall const& call) override {
    if (watching_) prepare(call);
    lane_.carry_out(call);
    ++task_;
    if (!watching_) return;
    lane_.fence();
    double& most = phases[call.compute.phase];
    most = std::max(most, resident());
  }
  void copy(Slice from, std::size_t to) override { lane_.copy(from, to); }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }

  /// Fills each buffer whose first use in the step is the next collective of `lane`. An engine calls this
  /// before the collective begins. May be called on another thread during a step.
  void fill_before_call(std::size_t lane) {
    const std::size_t call = begun_[lane];
    if (watching_)
      for (Use const& use : uses_)
        if (use.first_call == std::pair{lane, call}) use.pages.fill();
    ++begun_[lane];
  }

  /// Releases the buffers that are not kept. Call it after run_step().
  void end_step() {
    if (watching_) release_unused();
    after_update = resident();
  }

  // Resident memory of the last step in bytes, minus the baseline
  std::map<model::Phase, double> phases;  ///< largest value of each phase
  double start = 0, before_update = 0, after_update = 0;

 private:
  static constexpr std::pair no_call{nothing, nothing};
  struct Use {
    Pages pages;
    bool kept = false;  ///< its content is needed after the step
    bool resident = false;
    std::size_t first_task = nothing, end_task = 0;  ///< compute tasks: the first, and one past the last
    std::pair<std::size_t, std::size_t> first_call = no_call;  ///< lane and call, if its first use is a call
    std::map<std::size_t, std::size_t> last_call = {};         ///< lane: its last call on the buffer
  };

  void add_uses(std::size_t t) {
    auto const& launch = step_.launches()[t];
    for (auto const& access : step_.graph().tasks[t].accesses) {
      Use& use = uses_[model::index(access.buffer)];
      if (launch.kind == Launch::Kind::collective) {
        if (!use.kept && use.end_task == 0 && use.last_call.empty())
          use.first_call = {launch.lane, launch.first};
        use.last_call[launch.lane] = launch.first + launch.calls.size() - 1;
        use.end_task = std::max(use.end_task, computes_);  // the call is issued before this task
      } else {
        use.first_task = std::min(use.first_task, computes_);
        use.end_task = computes_ + 1;
      }
    }
    if (launch.kind == Launch::Kind::collective) calls_[launch.lane] += launch.calls.size();
    if (launch.kind == Launch::Kind::phase) {
      ++computes_;
      for (std::size_t lane = 0; lane < issued_.size(); ++lane) issued_[lane].push_back(calls_[lane]);
    }
  }

  /// Waits until each lane has begun all calls that were issued before this task.
  void wait_for_lanes() const {
    for (std::size_t lane = 0; lane < issued_.size(); ++lane)
      while (begun_[lane] < issued_[lane][task_]) std::this_thread::yield();
  }

  void prepare(ComputeCall const& call) {
    wait_for_lanes();
    release_unused();
    if (call.compute.phase == model::Phase::update && !phases.contains(model::Phase::update))
      before_update = resident();
    for (Use& use : uses_)
      if (!use.kept && use.first_call == no_call && use.first_task == task_) {
        use.pages.fill();
        use.resident = true;
      }
  }

  void release_unused() {
    for (Use& use : uses_)
      if (use.resident && !use.kept && is_unused(use)) {
        use.pages.release();
        use.resident = false;
      }
  }

  /// Returns whether no later task of the step uses the buffer, and all earlier ones are done.
  bool is_unused(Use const& use) const {
    return task_ >= use.end_task && std::ranges::all_of(use.last_call, [&](auto const& last) {
             return is_over(lanes_[last.first]->completion_of(last.second));
           });
  }

  double resident() const { return resident_bytes() - baseline_; }

  StepLane& lane_;
  kernels::Floats memory_;
  CompiledStep const& step_;
  std::vector<Use> uses_;  // [buffer]
  std::vector<CommunicationLane*> lanes_;
  std::vector<std::atomic<std::size_t>> begun_;   // [lane] calls that were begun in this step
  std::vector<std::vector<std::size_t>> issued_;  // [lane][compute task] calls that come before it
  std::map<std::size_t, std::size_t> calls_;      // [lane] calls of the tasks that add_uses() has seen
  std::size_t computes_ = 0, task_ = 0;           // compute tasks of a step, and those of this step so far
  double baseline_ = 0;
  bool watching_ = false;
};

/// An engine that lets a ReleasingLane fill buffers before each collective.
class FillingEngine : public CountingEngine {
 public:
  /// Takes the engine of lane `lane`. `compute` and `counted` must outlive this object.
  FillingEngine(std::unique_ptr<CollectiveEngine> engine, ReleasingLane& compute, std::size_t lane,
                CountedByVerb& counted)
      : CountingEngine(std::move(engine), sizeof(float), counted), compute_(compute), lane_(lane) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    compute_.fill_before_call(lane_);
    CountingEngine::begin(call, ready);
  }

 private:
  ReleasingLane& compute_;
  std::size_t lane_;
};

}  // namespace ddproxy
