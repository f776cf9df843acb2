// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/allreduce_engine.hpp"

namespace ddproxy {

/// An engine driven by the compute side alone. With `poll` it moves on between two operations and while
/// waiting at the end; without, only starting a bucket and the waiting at the end touch it.
class PolledAllreduce : public Allreduce {
 public:
  PolledAllreduce(std::unique_ptr<AllreduceEngine> engine, bool poll)
      : engine_(std::move(engine)), poll_(poll) {}

  void begin(std::size_t buckets) override;
  void start(Slice slice, Completion ready) override;
  void progress() override;
  void wait_all() override;
  Completion wait_for(std::size_t bucket) override;
  std::vector<ReducedBucket> const& reduced() const override { return done_; }
  std::int64_t elements_reduced() const override { return engine_->elements_reduced(); }
  std::string description() const override {
    return engine_->description() + (poll_ ? ", poll" : ", no progress");
  }

 private:
  void begin_next();

  std::unique_ptr<AllreduceEngine> engine_;
  bool poll_;
  std::vector<PostedBucket> posted_;
  bool in_flight_ = false;  // posted_[done_.size()] is begun
  std::vector<ReducedBucket> done_;
};

}  // namespace ddproxy
