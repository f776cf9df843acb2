// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

// The values of a step's elements: small integers, so that sums and averages over 2 or 4 ranks are exact.
inline float parameter_of(std::size_t element) {
  return static_cast<float>(100 + element % 13);
}
inline float gradient_of(int rank, std::size_t element, int micro_batch) {
  return static_cast<float>(1 + rank + static_cast<int>(element % 5) + 2 * micro_batch);
}
inline float activation_of(std::size_t op, int micro_batch, std::size_t i) {
  return static_cast<float>(1 + op % 16 + 3 * static_cast<std::size_t>(micro_batch) + i % 7);
}

/// A compute lane for tests. It checks every element that a task reads, and writes exact numbers. Elements
/// become NaN after their last use. Each task pauses first, so that a collective that starts too early has
/// time to read wrong numbers.
class ExactLane : public ComputeLane {
 public:
  /// `at_start`, if set, is called at the start of each step.
  ExactLane(std::vector<float>& memory, int rank, std::chrono::microseconds pause,
            std::function<void()> at_start = {})
      : memory_(memory), rank_(rank), pause_(pause), at_start_(std::move(at_start)) {}

  std::size_t operations() const override { return 0; }
  void begin() override {
    if (at_start_) at_start_();
  }
  void run(std::size_t) override { ++wrong; }
  bool knows(model::Compute const& compute) const override {
    return compute.phase != model::Phase::norm && compute.phase != model::Phase::clip;
  }
  void carry_out(ComputeCall const& call) override {
    std::this_thread::sleep_for(pause_);
    if (call.compute.phase == model::Phase::update) return update(call);
    for (auto const& access : call.accesses) check(call.compute, access);
    for (auto const& access : call.accesses) write(call.compute, access);
  }
  void copy(Slice, std::size_t) override { ++wrong; }
  void wait_for(Completion const& completion) override { wait_until_over(completion); }
  Completion completion() override { return {Clock::now()}; }
  void fence() override {}

  std::size_t wrong = 0;    ///< elements that had a wrong value when a task read them
  std::size_t checked = 0;  ///< elements that tasks have read

 private:
  using Mode = model::AccessMode;

  template <class Due>
  void expect(Slice slice, Due const& due) {
    for (std::size_t i = 0; i < slice.count; ++i) wrong += !(memory_[slice.offset + i] == due(i));
    checked += slice.count;
  }

  void check(model::Compute const& compute, PlacedAccess const& access) {
    if (access.mode == Mode::assign || access.mode == Mode::contribute) return;
    if (access.content == model::Content::parameter)
      expect(access.slice, [&](std::size_t i) { return parameter_of(access.model + i); });
    if (access.content == model::Content::activation && !is_chain(compute, access))
      expect(access.slice,
             [&](std::size_t i) { return activation_of(access.model, compute.micro_batch, i); });
  }

  // Returns whether this is the gradient of an activation, which one layer passes to the next within a rank.
  static bool is_chain(model::Compute const&, PlacedAccess const& access) {
    return access.mode == Mode::modify;
  }

  void write(model::Compute const& compute, PlacedAccess const& access) {
    float* const to = memory_.data() + access.slice.offset;
    const int m = compute.micro_batch;
    for (std::size_t i = 0; i < access.slice.count; ++i) {
      if (access.last_use)
        to[i] = std::numeric_limits<float>::quiet_NaN();
      else if (access.content == model::Content::activation && access.mode == Mode::assign)
        to[i] = activation_of(access.model, m, i);
      else if (access.content == model::Content::gradient && access.mode == Mode::assign)
        to[i] = gradient_of(rank_, access.model + i, m);
      else if (access.mode == Mode::contribute)
        to[i] += gradient_of(rank_, access.model + i, m);
    }
  }

  // Subtracts the gradient from the parameters, and adds 1 to the states of the optimizer.
  void update(ComputeCall const& call) {
    auto const& gradient = call.accesses[0].slice;
    for (auto const& access : call.accesses)
      for (std::size_t i = 0; i < access.slice.count; ++i) {
        float& at = memory_[access.slice.offset + i];
        if (access.content == model::Content::parameter) at -= memory_[gradient.offset + i];
        if (access.content == model::Content::optimizer_state) at += 1;
      }
  }

  std::vector<float>& memory_;
  int rank_;
  std::chrono::microseconds pause_;
  std::function<void()> at_start_;
};

}  // namespace ddproxy
