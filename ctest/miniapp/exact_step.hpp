// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ctest/miniapp/exact_lane.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy {

using WrapEngine = std::function<std::unique_ptr<CollectiveEngine>(std::unique_ptr<CollectiveEngine>)>;

/// How the lanes of a step are driven.
struct Drive {
  bool thread = true;
  bool blocking = false;
  std::size_t piece = 40;
  WireFormat wire = WireFormat::fp32;
  WrapEngine wrap = {};                 ///< if set, returns the engine that takes the place of the MPI engine
  std::function<void()> at_start = {};  ///< if set, called at the start of the timed region
  std::function<void()> at_end = {};    ///< if set, called at the end of the timed region
};

/// Runs this rank's part of any step with exact numbers. Has memory for the buffers of the step, a
/// communicator for each communicator of the step, and a lane for each communication lane of the graph. The
/// step must have as many ranks as MPI.
class ExactStep {
 public:
  ExactStep(model::RankGraphs const& graphs, Drive drive)
      : rank_(test_runtime->rank()),
        drive_(std::move(drive)),
        graph_(graphs.classes[class_of(graphs)].graph) {
    for (auto const& communicator : graphs.communicators) split(communicator);
    for (auto const& buffer : graph_.buffers) {
      places_.push_back(memory_.size());
      memory_.resize(memory_.size() + buffer.elements);
    }
    step_.emplace(graph_, places_, groups_);
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

  /// Runs the step once. Elements start as the graph declares at its entry; all others are NaN. Returns how
  /// many elements were wrong on all ranks, when a task read them or at the end.
  std::size_t run(std::chrono::microseconds pause = std::chrono::microseconds(0)) {
    std::ranges::fill(memory_, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) fill(b);
    ExactLane compute(memory_, rank_, pause, drive_.at_start);
    std::vector<CommunicationLane*> lanes;
    for (auto const& lane : lanes_) lanes.push_back(lane.get());
    test_runtime->barrier();
    times = run_step(*step_, compute, lanes);
    if (drive_.at_end) drive_.at_end();
    checked = compute.checked;
    std::size_t wrong = compute.wrong;
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) wrong += wrong_at_end(b);
    return static_cast<std::size_t>(test_runtime->sum(static_cast<double>(wrong)));
  }

  std::size_t checked = 0;  ///< elements that tasks of this rank have read in the last run
  StepTimes times{};
  CompiledStep const& step() const { return *step_; }
  std::vector<std::unique_ptr<CommunicationLane>> const& lanes() const { return lanes_; }

 private:
  std::unique_ptr<CollectiveEngine> make_engine(model::CommunicatorId communicator) {
    std::unique_ptr<CollectiveEngine> engine =
        std::make_unique<MpiEngine>(communicators_[index(communicator)], memory_.data(), drive_.piece, 60,
                                    drive_.wire, CallTable(drive_.blocking));
    return drive_.wrap ? drive_.wrap(std::move(engine)) : std::move(engine);
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
    members_.push_back(color == MPI_UNDEFINED ? std::vector<std::size_t>{}
                                              : communicator.groups[static_cast<std::size_t>(color)]);
  }

  // Returns the index in the model of the first element of a buffer.
  std::size_t first_element(model::Buffer const& buffer, model::BufferState const& state) const {
    const int place = state.shard ? groups_[index(*state.shard)].rank : 0;
    return state.model.offset + static_cast<std::size_t>(place) * buffer.elements;
  }

  void fill(std::size_t b) {
    auto const& buffer = graph_.buffers[b];
    if (buffer.at_entry.content == model::Content::nothing) return;
    const bool parameters = buffer.at_entry.content == model::Content::parameter;
    const std::size_t first = first_element(buffer, buffer.at_entry);
    for (std::size_t i = 0; i < buffer.elements; ++i)
      memory_[places_[b] + i] = parameters ? parameter_of(first + i) : 0.0F;
  }

  // Returns the gradient: the average over the ranks that contribute, summed over the micro-batches.
  float final_gradient(std::size_t element) const {
    auto const& ranks = members_[index(graph_.expected.replicas)];
    float sum = 0;
    for (int m = 0; m < graph_.expected.micro_batches; ++m)
      for (const std::size_t rank : ranks) sum += gradient_of(static_cast<int>(rank), element, m);
    return sum / static_cast<float>(ranks.size());
  }

  // Returns the number of wrong elements of buffer b at the end of the step. Does not check padding.
  std::size_t wrong_at_end(std::size_t b) const {
    auto const& buffer = graph_.buffers[b];
    auto const& state = buffer.at_exit;
    const std::size_t first = first_element(buffer, state);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < buffer.elements && first + i < state.model.end(); ++i) {
      const float at = memory_[places_[b] + i];
      if (state.content == model::Content::parameter)
        wrong += !(at == parameter_of(first + i) - final_gradient(first + i));
      if (state.content == model::Content::optimizer_state) wrong += !(at == 1);
    }
    return wrong;
  }

  int rank_;
  Drive drive_;
  model::StepGraph graph_;
  std::vector<MPI_Comm> communicators_;
  std::vector<GroupPlace> groups_;                 // [communicator]
  std::vector<std::vector<std::size_t>> members_;  // [communicator] ranks of this rank's group
  std::vector<std::size_t> places_;                // [buffer]
  std::vector<float> memory_;
  std::optional<CompiledStep> step_;
  std::vector<std::unique_ptr<CommunicationLane>> lanes_;
};

}  // namespace ddproxy
