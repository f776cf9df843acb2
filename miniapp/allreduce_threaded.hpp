// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "miniapp/allreduce_engine.hpp"

namespace ddproxy {

/// An engine driven by a thread of its own: the communication resource beside the compute side.
class ThreadedAllreduce : public Allreduce {
 public:
  explicit ThreadedAllreduce(std::unique_ptr<AllreduceEngine> engine);
  ~ThreadedAllreduce() override;
  ThreadedAllreduce(ThreadedAllreduce const&) = delete;
  ThreadedAllreduce& operator=(ThreadedAllreduce const&) = delete;

  void begin(std::size_t calls) override;
  void start(Slice slice, Completion ready) override;
  void wait_all() override;
  Completion wait_for(std::size_t call) override;
  std::vector<Reduction> const& reductions() const override { return done_; }
  std::int64_t elements_reduced() const override { return engine_->elements_reduced(); }
  std::string description() const override { return engine_->description() + ", thread"; }

 private:
  struct Job {
    std::size_t bucket;
    Slice slice;
    Completion ready;
  };
  void work();
  bool take(Job& job);
  void carry_out(Job const& job);

  std::unique_ptr<AllreduceEngine> engine_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::vector<Job> jobs_;  // guarded by mutex_, as all below
  std::size_t taken_ = 0;
  std::vector<Reduction> done_;  // one for each job that is over
  std::exception_ptr failure_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace ddproxy
