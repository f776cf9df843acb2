// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/staging.hpp"

namespace ddproxy {

/// Carries out collectives on an arena that the host cannot reach, through two slots of host memory in turn:
/// while one piece is on the network, the next is fetched and the one before put back.
class StagedEngine : public CollectiveEngine {
 public:
  /// `inner` works on the staging memory. A slot holds `piece_elements`, no fewer than the ranks of the
  /// group; a collective that takes longer than `timeout_s` is an error, in the name of the rank.
  StagedEngine(std::unique_ptr<Staging> staging, std::unique_ptr<CollectiveEngine> inner,
               std::size_t piece_elements, GroupPlace place, double timeout_s)
      : staging_(std::move(staging)),
        inner_(std::move(inner)),
        piece_elements_(piece_elements),
        place_(place),
        timeout_s_(timeout_s) {}

  void begin(CollectiveCall const& call, Completion ready) override;
  bool test() override;
  void wait(std::size_t call) override;
  void check_time(std::size_t call) const override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return inner_->elements_handed_over(); }
  std::string description() const override { return inner_->description() + ", staged in pinned memory"; }
  double unwatched_limit_s() const override { return inner_->unwatched_limit_s(); }

 private:
  enum class Stage { fetching, communicating, draining };

  std::size_t slot() const { return piece_ % 2; }
  void fetch(std::size_t piece);
  void begin_piece();
  void finish_piece();

  std::unique_ptr<Staging> staging_;
  std::unique_ptr<CollectiveEngine> inner_;  // ends before the memory that it works on
  std::size_t piece_elements_;
  GroupPlace place_;
  double timeout_s_;
  FinishedCall call_{};
  Stage stage_ = Stage::draining;
  CallPieces pieces_;
  std::size_t piece_ = 0;
};

}  // namespace ddproxy
