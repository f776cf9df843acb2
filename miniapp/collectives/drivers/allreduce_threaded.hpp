// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <thread>

#include "miniapp/collectives/drivers/allreduce_worker.hpp"

namespace ddproxy {

/// An engine driven by a thread of its own: the communication resource beside the compute side. Where the
/// engine blocks in calls without a time limit, a watch throws StuckCall (miniapp/errors/errors.hpp) from
/// whatever the compute side waits in; the thread stays in its call, and nothing is left but to end the
/// process.
class ThreadedAllreduce : public Allreduce {
 public:
  /// `own_core`: the communication thread has a core beside those that compute
  /// (miniapp/collectives/drivers/allreduce_worker.hpp). `rank` is named where a call does not come back.
  explicit ThreadedAllreduce(std::unique_ptr<AllreduceEngine> engine, bool own_core = false, int rank = 0);
  ~ThreadedAllreduce() override;
  ThreadedAllreduce(ThreadedAllreduce const&) = delete;
  ThreadedAllreduce& operator=(ThreadedAllreduce const&) = delete;

  void begin(std::size_t buckets) override { worker_->begin(buckets); }
  /// Throws std::logic_error for more buckets than begin() made room for.
  void start(Slice slice, Completion ready) override { worker_->post(slice, ready); }
  void wait_all() override { worker_->wait(worker_->posted()); }
  Completion wait_for(std::size_t bucket) override;
  std::vector<ReducedBucket> const& reduced() const override { return worker_->reduced(); }
  std::string description() const override { return worker_->description() + ", thread"; }
  std::int64_t elements_reduced() const override { return worker_->elements_reduced(); }

 private:
  std::shared_ptr<AllreduceWorker> worker_;  // its thread has a share, and may stay behind in a call
  std::thread thread_;
};

}  // namespace ddproxy
