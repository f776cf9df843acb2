// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "miniapp/collectives/engines/staging.hpp"

namespace ddproxy {

/// Staging memory that copies late, as the stream of a device may do. While copies wait, every third
/// call of over() carries out one of them. Code that does not wait for a copy then reads old numbers.
class LateStaging : public Staging {
 public:
  LateStaging(float* arena, std::size_t piece) : arena_(arena), piece_(piece), memory_(2 * piece) {}
  float* memory() override { return memory_.data(); }
  void fetch(std::size_t slot, Runs const& runs) override {
    ask(slot, [=, this] {
      each_run(slot, runs,
               [](float* arena, float* slot_, std::size_t count) { std::copy_n(arena, count, slot_); });
    });
  }
  void put_back(std::size_t slot, Runs const& runs) override {
    ask(slot, [=, this] {
      each_run(slot, runs,
               [](float* arena, float* slot_, std::size_t count) { std::copy_n(slot_, count, arena); });
    });
  }
  bool over(std::size_t slot) override {
    if (!copies_.empty() && ++questions_ % 3 == 0) {
      copies_.front().carry_out();
      copies_.pop_front();
    }
    return std::ranges::none_of(copies_, [=](Copy const& copy) { return copy.slot == slot; });
  }
  /// Returns the largest number of copies that waited at the same time.
  std::size_t most_waiting() const { return most_waiting_; }

 private:
  struct Copy {
    std::size_t slot;
    std::function<void()> carry_out;
  };
  template <class Copy_>
  void each_run(std::size_t slot, Runs const& runs, Copy_ copy) {
    for (std::size_t run = 0; run < runs.count; ++run)
      copy(arena_ + runs.first.offset + run * runs.step,
           memory() + slot * piece_ + runs.in_buffer + run * runs.first.count, runs.first.count);
  }
  void ask(std::size_t slot, std::function<void()> copy) {
    copies_.push_back({slot, std::move(copy)});
    most_waiting_ = std::max(most_waiting_, copies_.size());
  }

  float* arena_;
  std::size_t piece_;
  std::vector<float> memory_;
  std::deque<Copy> copies_;
  int questions_ = 0;
  std::size_t most_waiting_ = 0;
};

}  // namespace ddproxy
