// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/staging.hpp"

namespace ddproxy {

/// Carries out collectives on device memory with an engine that needs host memory.
///
/// Problem: if a whole bucket were copied to the host, then reduced, then copied back, the three times would
/// add up. So a call is cut into pieces, which use two slots of host memory in turn. While the piece in one
/// slot is on the network, the piece in the other slot is copied back, and then the next piece is copied into
/// that slot.
///
/// A reduce-scatter that adds its result to memory (CollectiveCall::adds) also needs the elements to which it
/// adds. They are copied into the slot, behind the elements that it reads, and the inner engine adds to them
/// there.
///
/// Order of calls: that of CollectiveEngine, for each collective. begin() only enqueues the copies of the
/// first two pieces to the host. When the copy of a piece has ended, test() passes the piece to the inner
/// engine. When the inner engine is done with it, test() enqueues the copy of the result back, and the copy
/// of the next piece into this slot:
///
///     engine.begin(call, ready);
///     while (!engine.test()) compute_a_little();   // or engine.wait(number, core_is_free)
///
/// Nothing goes on without test(), so wait() calls it again and again. When test() returns true, the result
/// is in device memory. Only this engine may call the inner engine. Does not support groups, and throws
/// std::invalid_argument for them.
class StagedEngine : public CollectiveEngine {
 public:
  /// Takes the staging and the inner engine, which must work on staging->memory(). A slot holds
  /// `piece_elements` elements. This number must be greater than the number of ranks of the group. A
  /// collective that takes longer than `timeout_s` seconds is an error; the message names the rank of
  /// `place`.
  StagedEngine(std::unique_ptr<Staging> staging, std::unique_ptr<CollectiveEngine> inner,
               std::size_t piece_elements, GroupPlace place, double timeout_s)
      : staging_(std::move(staging)),
        inner_(std::move(inner)),
        piece_elements_(piece_elements),
        place_(place),
        timeout_s_(timeout_s) {}

  void begin(CollectiveCall const& call, Completion ready) override;
  bool test() override;
  void wait(std::size_t call, CoreIsFree const& core_is_free) override;
  void check_time(std::size_t call) const override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return inner_->elements_handed_over(); }
  std::string description() const override { return inner_->description() + ", staged in pinned memory"; }
  double unwatched_limit_s() const override { return inner_->unwatched_limit_s(); }

 private:
  enum class Stage { fetching, communicating, draining };

  std::size_t slot() const { return piece_ % 2; }
  Runs assigned(std::size_t piece) const;
  void fetch(std::size_t piece);
  void begin_piece();
  void finish_piece();

  std::unique_ptr<Staging> staging_;
  std::unique_ptr<CollectiveEngine> inner_;  // destroyed before staging_, whose memory it uses
  std::size_t piece_elements_;
  GroupPlace place_;
  double timeout_s_;
  FinishedCall call_{};
  Stage stage_ = Stage::draining;
  CallPieces pieces_;
  std::size_t piece_ = 0;
};

}  // namespace ddproxy
