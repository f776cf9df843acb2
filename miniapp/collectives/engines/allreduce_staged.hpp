// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/allreduce_engine.hpp"
#include "miniapp/collectives/engines/staging.hpp"

namespace ddproxy {

/// Reduces an arena that the host cannot reach through two slots of host memory in turn: while one piece is
/// reduced, the next is fetched and the one before put back.
class StagedEngine : public AllreduceEngine {
 public:
  /// `inner` reduces the staging memory. A slot holds `piece_elements`; a bucket that takes longer than
  /// `timeout_s` is an error, in the name of `rank`.
  StagedEngine(std::unique_ptr<Staging> staging, std::unique_ptr<AllreduceEngine> inner,
               std::size_t piece_elements, int rank, double timeout_s)
      : staging_(std::move(staging)),
        inner_(std::move(inner)),
        piece_elements_(piece_elements),
        rank_(rank),
        timeout_s_(timeout_s) {}

  void begin(Slice slice, Completion ready) override;
  bool test() override;
  void wait(std::size_t bucket) override;
  ReducedBucket last() const override { return bucket_; }
  std::int64_t elements_reduced() const override { return inner_->elements_reduced(); }
  std::string description() const override { return inner_->description() + ", staged in pinned memory"; }
  double unwatched_limit_s() const override { return inner_->unwatched_limit_s(); }

 private:
  enum class Stage { fetching, reducing, draining };

  std::size_t slot() const { return piece_ % 2; }
  Slice slice_of(std::size_t piece) const;
  void reduce_piece();
  void finish_piece();

  std::unique_ptr<Staging> staging_;
  std::unique_ptr<AllreduceEngine> inner_;  // ends before the memory that it reduces
  std::size_t piece_elements_;
  int rank_;
  double timeout_s_;
  ReducedBucket bucket_{};
  Stage stage_ = Stage::draining;
  std::size_t piece_ = 0, pieces_ = 0;
};

}  // namespace ddproxy
