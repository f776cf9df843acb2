// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctest/folders.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

// What tests of faulty communication lanes share.
namespace ddproxy {

/// Returns the input inputs/tiny.toml.
inline Config tiny_config() {
  return read_config(std::filesystem::path(source_folder) / "inputs/tiny.toml");
}

/// Returns the context of this rank. `config` must outlive it.
inline RankContext context_of(Config const& config) {
  return make_rank_context(config, make_workload(config), *test_runtime);
}
RankContext context_of(Config&&) = delete;

/// Passes all calls on to another lane, one by one. A test derives a lane from it and plants a fault.
class PassingLane : public CommunicationLane {
 public:
  explicit PassingLane(std::unique_ptr<CommunicationLane> lane) : lane_(std::move(lane)) {}
  void begin(std::size_t calls) override { lane_->begin(calls); }
  void start(CollectiveCall const& call, Completion ready) override { lane_->start(call, ready); }
  void progress() override { lane_->progress(); }
  void wait_all() override { lane_->wait_all(); }
  Completion wait_for(std::size_t call) override { return lane_->wait_for(call); }
  Completion completion_of(std::size_t call) override { return lane_->completion_of(call); }
  std::vector<FinishedCall> const& finished() const override { return lane_->finished(); }
  ElementsByVerb elements_handed_over() const override { return lane_->elements_handed_over(); }
  std::string description() const override { return lane_->description(); }

 protected:
  std::unique_ptr<CommunicationLane> lane_;
};

/// Carries out another call than the requested one, or no call if `change` returns nothing.
class FaultyLane : public PassingLane {
 public:
  using Change = std::function<std::optional<CollectiveCall>(CollectiveCall)>;
  FaultyLane(std::unique_ptr<CommunicationLane> lane, Change change)
      : PassingLane(std::move(lane)), change_(std::move(change)) {}
  void start(CollectiveCall const& call, Completion ready) override {
    if (const auto changed = change_(call)) lane_->start(*changed, ready);
  }

 private:
  Change change_;
};

/// Carries out one call of each step `times` times, at most twice. If `times` is 0, it reduces 0 elements in
/// place of the call, so that later calls keep their indices. All ranks must choose the same call.
class RepeatingLane : public PassingLane {
 public:
  RepeatingLane(std::unique_ptr<CommunicationLane> lane, std::size_t call, int times)
      : PassingLane(std::move(lane)), call_(call), times_(times) {}
  void begin(std::size_t calls) override {
    started_ = 0;
    lane_->begin(calls + 1);
  }
  void start(CollectiveCall const& call, Completion ready) override {
    const bool here = started_++ == call_;
    if (here && times_ == 0) return lane_->start(all_reduce({0, 0}), ready);
    for (int i = 0; i < (here ? times_ : 1); ++i) lane_->start(call, ready);
  }
  Completion wait_for(std::size_t call) override { return lane_->wait_for(call + is_later(call)); }
  Completion completion_of(std::size_t call) override { return lane_->completion_of(call + is_later(call)); }

 private:
  std::size_t is_later(std::size_t call) const { return times_ == 2 && call >= call_ ? 1 : 0; }

  std::size_t call_, started_ = 0;
  int times_;
};

}  // namespace ddproxy
