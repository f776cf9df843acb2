// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "miniapp/measure/verification/exact_lane.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy {

using WrapEngine = std::function<std::unique_ptr<CollectiveEngine>(std::unique_ptr<CollectiveEngine>)>;
using MakeStaging = std::function<std::unique_ptr<Staging>(float* arena, std::size_t piece)>;

/// How the lanes of a step are driven.
struct Drive {
  bool thread = true;
  bool blocking = false;
  std::size_t piece = 40;  ///< elements of the largest piece of a collective
  WireFormat wire = WireFormat::fp32;
  WrapEngine wrap = {};                 ///< if set, takes each engine and returns the engine for the lane
  std::function<void()> at_start = {};  ///< if set, called at the start of the timed region
  std::function<void()> at_end = {};    ///< if set, called at the end of the timed region
  MakeStaging staging = {};             ///< if set, collectives go through this staging, as on a device
};

/// An ExactLane that calls a function at the start of each step.
class WatchedExactLane : public ExactLane {
 public:
  WatchedExactLane(ExactPlan const& plan, kernels::Floats memory, std::size_t tasks, double pause_s,
                   std::function<void()> at_start)
      : ExactLane(plan, std::move(memory), tasks, pause_s), at_start_(std::move(at_start)) {}
  void begin() override {
    if (at_start_) at_start_();
    ExactLane::begin();
  }

 private:
  std::function<void()> at_start_;
};

/// Runs this rank's part of any step with the exact numbers of ExactLane. Has memory for the buffers of the
/// step, an MPI communicator for each of its communicators, and a lane for each of its communication lanes.
/// The step must have as many ranks as MPI_COMM_WORLD.
class ExactStep {
 public:
  ExactStep(model::RankGraphs const& graphs, Drive drive)
      : rank_(test_runtime->rank()),
        drive_(std::move(drive)),
        graph_(graphs.classes[class_of(graphs)].graph) {
    for (auto const& communicator : graphs.communicators) split(communicator);
    std::size_t elements = 0;
    for (auto const& buffer : graph_.buffers) {
      places_.push_back(elements);
      elements += buffer.elements;
    }
    memory_ = kernels::Floats("memory of a step", elements);
    step_.emplace(graph_, places_, groups_);
    plan_.emplace(*step_, places_, groups_, elements, drive_.wire != WireFormat::fp32);
    std::vector<std::unique_ptr<CollectiveEngine>> engines;
    for (const auto communicator : step_->lanes()) engines.push_back(make_engine(communicator));
    lanes_ = make_lanes(std::move(engines), {.thread = drive_.thread}, rank_);
  }
  ~ExactStep() {
    lanes_.clear();
    for (auto& communicator : communicators_)
      if (communicator != MPI_COMM_NULL) MPI_Comm_free(&communicator);
  }
  ExactStep(ExactStep const&) = delete;
  ExactStep& operator=(ExactStep const&) = delete;

  /// Runs the step once. At the start, elements are NaN if the graph declares no content for them. Elements
  /// are checked when a task reads them, and at the end of the step. Returns the number of wrong elements on
  /// all ranks.
  std::size_t run(std::chrono::microseconds pause = std::chrono::microseconds(0)) {
    WatchedExactLane compute(*plan_, memory_, graph_.tasks.size(),
                             std::chrono::duration<double>(pause).count(), drive_.at_start);
    compute.fill();
    std::vector<CommunicationLane*> lanes;
    for (auto const& lane : lanes_) lanes.push_back(lane.get());
    test_runtime->barrier();
    times = run_step(*step_, compute, lanes);
    if (drive_.at_end) drive_.at_end();
    checked = compute.checked();
    const auto fault = compute.find_fault();
    return static_cast<std::size_t>(test_runtime->sum(fault ? static_cast<double>(fault->count) : 0));
  }

  std::size_t checked = 0;  ///< elements that tasks of this rank have read in the last run
  StepTimes times{};
  CompiledStep const& step() const { return *step_; }
  std::vector<std::unique_ptr<CommunicationLane>> const& lanes() const { return lanes_; }

 private:
  std::unique_ptr<CollectiveEngine> make_engine(model::CommunicatorId communicator) {
    auto engine =
        drive_.staging ? make_staged_engine(communicator) : make_mpi_engine(communicator, memory_.data());
    return drive_.wrap ? drive_.wrap(std::move(engine)) : std::move(engine);
  }

  std::unique_ptr<CollectiveEngine> make_mpi_engine(model::CommunicatorId communicator, float* memory) {
    return std::make_unique<MpiEngine>(communicators_[index(communicator)], memory, drive_.piece, timeout_s,
                                       drive_.wire, MpiCallTable(drive_.blocking));
  }

  std::unique_ptr<CollectiveEngine> make_staged_engine(model::CommunicatorId communicator) {
    auto staging = drive_.staging(memory_.data(), drive_.piece);
    auto inner = make_mpi_engine(communicator, staging->memory());
    return std::make_unique<StagedEngine>(std::move(staging), std::move(inner), drive_.piece,
                                          groups_[index(communicator)], timeout_s);
  }

  std::size_t class_of(model::RankGraphs const& graphs) const {
    return model::class_of_ranks(graphs)[static_cast<std::size_t>(rank_)];
  }

  void split(model::Communicator const& communicator) {
    int color = MPI_UNDEFINED, key = 0;
    GroupPlace place;
    for (std::size_t g = 0; g < communicator.groups.size(); ++g)
      for (std::size_t k = 0; k < communicator.groups[g].size(); ++k) {
        if (communicator.groups[g][k] != static_cast<std::size_t>(rank_)) continue;
        color = static_cast<int>(g);
        key = static_cast<int>(k);
        place = {key, static_cast<int>(communicator.groups[g].size())};
      }
    communicators_.push_back(MPI_COMM_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &communicators_.back());
    groups_.push_back(place);
  }

  static constexpr double timeout_s = 60;

  int rank_;
  Drive drive_;
  model::StepGraph graph_;
  std::vector<MPI_Comm> communicators_;
  std::vector<GroupPlace> groups_;   // [communicator]
  std::vector<std::size_t> places_;  // [buffer]
  kernels::Floats memory_;
  std::optional<CompiledStep> step_;
  std::optional<ExactPlan> plan_;
  std::vector<std::unique_ptr<CommunicationLane>> lanes_;
};

}  // namespace ddproxy
