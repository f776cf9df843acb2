// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/allreduce_engine.hpp"
#include "miniapp/collectives/drivers/bell.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// What the compute side and the communication thread of a ThreadedAllreduce share: a list of buckets,
/// which one side posts and the other reduces one after another. With a core of its own the communication
/// thread spins for a while between two buckets, and so does who waits for one, so that a bucket is handed
/// over and back in less than a microsecond. Without, both yield the core to each other for a shorter while,
/// and then sleep.
class AllreduceWorker {
 public:
  AllreduceWorker(std::unique_ptr<AllreduceEngine> engine, bool own_core, int rank);

  /// Forgets earlier buckets and makes room for `buckets`. All that were posted are reduced.
  void begin(std::size_t buckets);
  /// Throws std::logic_error where begin() made no room for it.
  void post(Slice slice, Completion ready);
  std::size_t posted() const { return posted_ - first_; }  ///< since begin()
  /// Waits until so many buckets since begin() are reduced. Throws what went wrong: what the engine threw, or
  /// StuckCall.
  void wait(std::size_t buckets);
  std::vector<ReducedBucket> const& reduced() const { return done_; }
  std::int64_t elements_reduced() const { return engine_->elements_reduced(); }
  std::string description() const { return engine_->description(); }

  /// The communication thread's side; returns after quit().
  void work();
  void quit();
  /// Whether the communication thread did not come back from a call within its time limit.
  bool stuck() const { return stuck_; }

 private:
  bool take(std::size_t taken);
  void carry_out(std::size_t bucket);
  void fail(std::exception_ptr failure);
  void call_is_overdue(char const* call, int rank);

  const std::unique_ptr<AllreduceEngine> engine_;
  Bell work_, done_bell_;
  std::vector<PostedBucket> buckets_;  // written by the compute side before posted_ counts them
  std::vector<ReducedBucket> done_;    // written by the communication thread before finished_ counts them
  std::size_t first_ = 0;              // of posted_ and finished_ at begin()
  static constexpr std::size_t nobody_waits = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> posted_{0}, finished_{0};
  std::atomic<std::size_t> wanted_{nobody_waits};  // the value of finished_ that the compute side waits for
  std::atomic<bool> quit_{false}, failed_{false}, stuck_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first one; guarded by failure_mutex_
  std::string name_;            // of the bucket being reduced
  std::optional<CallWatch> watch_;
};

}  // namespace ddproxy
