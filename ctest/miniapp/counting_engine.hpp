// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "miniapp/collectives/drivers/collective_engine.hpp"

namespace ddproxy {

/// The calls of one verb that an engine was asked to begin.
struct Counted {
  std::size_t calls = 0;
  std::int64_t bytes = 0;  ///< sum of the full sizes x of the calls, in bytes on the wire
  bool operator==(Counted const&) const = default;
};
using CountedByVerb = std::map<model::Verb, Counted>;

/// Stands between a lane and an engine, and counts the calls and the bytes of each verb.
class CountingEngine : public CollectiveEngine {
 public:
  /// Takes the engine. Adds each call to `counted`, which must outlive this object. Read it only while no
  /// call is in flight. `element_bytes` are the bytes of an element on the wire.
  CountingEngine(std::unique_ptr<CollectiveEngine> engine, int element_bytes, CountedByVerb& counted)
      : engine_(std::move(engine)), element_bytes_(element_bytes), counted_(counted) {}

  void begin(CollectiveCall const& call, Completion ready) override {
    count(call);
    engine_->begin(call, ready);
  }
  void begin_group(std::span<const PostedCall> calls, Completion ready) override {
    for (auto const& each : calls) count(each.call);
    engine_->begin_group(calls, ready);
  }
  void make_room(std::size_t largest_group) override { engine_->make_room(largest_group); }
  bool test() override { return engine_->test(); }
  void wait(std::size_t call, CoreIsFree const& core_is_free) override {
    engine_->wait(call, core_is_free);
  }
  void check_time(std::size_t call) const override { engine_->check_time(call); }
  FinishedCall last() const override { return engine_->last(); }
  ElementsByVerb elements_handed_over() const override { return engine_->elements_handed_over(); }
  std::string description() const override { return engine_->description(); }
  double unwatched_limit_s() const override { return engine_->unwatched_limit_s(); }

 private:
  void count(CollectiveCall const& call) {
    Counted& counted = counted_[call.verb];
    ++counted.calls;
    counted.bytes += static_cast<std::int64_t>(full_slice(call).count) * element_bytes_;
  }

  std::unique_ptr<CollectiveEngine> engine_;
  int element_bytes_;
  CountedByVerb& counted_;
};

}  // namespace ddproxy
