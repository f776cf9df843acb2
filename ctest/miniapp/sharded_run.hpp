// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "ctest/miniapp/counting_engine.hpp"
#include "ctest/miniapp/late_staging.hpp"
#include "ctest/miniapp/passing_lane.hpp"
#include "ctest/miniapp/step_run.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/step/step_groups.hpp"
#include "model/step/host_waits.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy {

/// A compute lane that hands all calls on to a StepLane. After the last use of parameters it fills them with
/// NaN, so a task that reads a unit without a new gather computes NaN.
class PoisonLane : public ComputeLane {
 public:
  /// Takes a reference to the lane, which must outlive this object, and a view of the memory of the step.
  PoisonLane(StepLane& lane, kernels::Floats memory) : lane_(lane), memory_(std::move(memory)) {}
  std::size_t operations() const override { return lane_.operations(); }
  void begin() override { lane_.begin(); }
  void run(std::size_t operation) override { lane_.run(operation); }
  bool knows(model::Compute const& compute) const override { return lane_.knows(compute); }
  void carry_out(ComputeCall const& call) override {
    lane_.carry_out(call);
    for (auto const& access : call.accesses)
      if (access.last_use && access.content == model::Content::parameter) poison(access.slice);
  }
  void copy(Slice from, std::size_t to) override { lane_.copy(from, to); }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }

  std::size_t poisoned = 0;  ///< elements that were filled with NaN so far

 private:
  void poison(Slice slice) {
    lane_.fence();
    for (std::size_t i = slice.offset; i < slice.end(); ++i)
      memory_(i) = std::numeric_limits<float>::quiet_NaN();
    poisoned += slice.count;
  }

  StepLane& lane_;
  kernels::Floats memory_;
};

/// A communication lane that says at once that a collective is done.
class NotWaiting : public PassingLane {
 public:
  using PassingLane::PassingLane;
  Completion wait_for(std::size_t /*call*/) override { return {Clock::now()}; }
};

/// How a test runs a sharded step.
struct ShardedDrive {
  bool thread = true;  ///< true: a thread drives the lanes; false: the compute side polls them
  WireFormat wire = WireFormat::fp32;
  bool staged = false;      ///< true: collectives go through host memory, as on a device
  bool host_waits = false;  ///< whether the graph has HostWaits (model/step/host_waits.hpp)
};

/// Runs whole steps on the kernels and over MPI, with a lane for each communicator of the step. The memory
/// holds NaN at first. All ranks must call the methods in the same order.
class ShardedRun {
 public:
  explicit ShardedRun(StepCase const& c, ShardedDrive drive = {})
      : layout_(model::backward_pass(c.shape).gradients),
        graphs_(drive.host_waits ? model::with_host_waits(graphs_of(c)) : graphs_of(c)),
        graph_(graphs_.classes[model::class_of_ranks(graphs_)[static_cast<std::size_t>(rank())]].graph),
        places_(place_buffers(graph_)),
        memory_(kernels::poisoned(places_.elements)),
        groups_(graphs_, *test_runtime, false),
        step_(graph_, places_.first, groups_.places()),
        lane_(StepInput{c.shape, c.tokens,
                        draw_tokens(c.shape, c.tokens, graph_.expected.micro_batches,
                                    step_seed + static_cast<std::uint32_t>(rank())),
                        c.optimizer, c.clip},
              graph_, places_, memory_, groups_.places()),
        compute_(lane_, memory_) {
    lane_.initialise(step_seed);
    std::vector<std::unique_ptr<CollectiveEngine>> engines;
    for (const auto id : step_.lanes())
      engines.push_back(
          std::make_unique<CountingEngine>(engine(id, drive), wire_element_bytes(drive.wire), counted));
    lanes_ = make_lanes(std::move(engines), {.thread = drive.thread}, rank());
  }

  /// Runs one step. Parameters that are released become NaN.
  void run() {
    counted.clear();
    std::vector<CommunicationLane*> lanes;
    for (auto const& lane : lanes_) lanes.push_back(lane.get());
    test_runtime->barrier();
    const StepTimes times = run_step(step_, compute_, lanes);
    std::vector<CallsOfLane> calls;
    for (auto const* lane : lanes) calls.push_back(&lane->finished());
    trace = trace_of(times, step_, calls);
  }

  /// Leaves out call number `call` of a lane in all later steps.
  void leave_out(std::size_t lane, std::size_t call) {
    lanes_[lane] = std::make_unique<RepeatingLane>(std::move(lanes_[lane]), call, 0);
  }

  /// Lets the compute lane go on before the collectives of a lane are done, in all later steps.
  void do_not_wait(std::size_t lane) { lanes_[lane] = std::make_unique<NotWaiting>(std::move(lanes_[lane])); }

  /// Gathers all elements of the model with this content at the end of a step, and returns them on all ranks.
  /// If ranks have different bits for the same element, it is NaN. An element that no rank has is 0.
  std::vector<float> model_values(model::Content content) const {
    std::vector<std::uint32_t> bits(layout_.elements()), inverse(bits.size());
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) {
      auto const& state = graph_.buffers[b].at_exit;
      if (state.content != content) continue;
      const std::size_t place =
          state.shard ? static_cast<std::size_t>(groups_.places()[index(*state.shard)].rank) : 0;
      const std::size_t first = state.model.offset + place * graph_.buffers[b].elements;
      for (std::size_t i = 0; i < graph_.buffers[b].elements && first + i < state.model.end(); ++i) {
        bits[first + i] = std::bit_cast<std::uint32_t>(memory_(places_.first[b] + i));
        inverse[first + i] = ~bits[first + i];
      }
    }
    bits = union_of_ranks(bits);
    inverse = union_of_ranks(inverse);  // ~inverse: the bits that are set on all ranks with the element
    std::vector<float> values;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const bool is_held = bits[i] != 0 || inverse[i] != 0;
      values.push_back(is_held && bits[i] != ~inverse[i] ? std::numeric_limits<float>::quiet_NaN()
                                                         : std::bit_cast<float>(bits[i]));
    }
    return values;
  }

  model::TensorLayout const& layout() const { return layout_; }
  double mean_loss() const { return test_runtime->sum(lane_.loss()) / test_runtime->ranks(); }
  float norm() const { return lane_.norm(); }
  std::size_t poisoned() const { return compute_.poisoned; }
  model::RankGraphs const& graphs() const { return graphs_; }
  std::size_t rank_class() const { return model::class_of_ranks(graphs_)[static_cast<std::size_t>(rank())]; }
  CompiledStep const& step() const { return step_; }

  CountedByVerb counted;   ///< what the engines were asked to begin in the last step
  model::StepTrace trace;  ///< of this rank in the last step

 private:
  static int rank() { return test_runtime->rank(); }

  // Combines the bits of all ranks with OR. The maximum would do, too, but MPI_MAX of MPICH 4.0.2 compares
  // unsigned integers as signed ones.
  static std::vector<std::uint32_t> union_of_ranks(std::vector<std::uint32_t> const& own) {
    std::vector<std::uint32_t> all(own.size());
    MPI_Allreduce(own.data(), all.data(), static_cast<int>(all.size()), MPI_UINT32_T, MPI_BOR,
                  MPI_COMM_WORLD);
    return all;
  }

  std::unique_ptr<CollectiveEngine> engine(model::CommunicatorId id, ShardedDrive const& drive) {
    constexpr std::size_t piece = 5000;
    constexpr double timeout = 60;
    const MPI_Comm ranks = groups_.communicator(id);
    if (!drive.staged) return std::make_unique<MpiEngine>(ranks, memory_.data(), piece, timeout, drive.wire);
    auto staging = std::make_unique<LateStaging>(memory_.data(), piece);
    auto inner = std::make_unique<MpiEngine>(ranks, staging->memory(), piece, timeout, drive.wire);
    return std::make_unique<StagedEngine>(std::move(staging), std::move(inner), piece,
                                          groups_.places()[index(id)], timeout);
  }

  model::TensorLayout layout_;
  model::RankGraphs graphs_;
  model::StepGraph graph_;
  StepPlaces places_;
  kernels::Floats memory_;
  StepGroups groups_;
  CompiledStep step_;
  StepLane lane_;
  PoisonLane compute_;
  std::vector<std::unique_ptr<CommunicationLane>> lanes_;
};

}  // namespace ddproxy
