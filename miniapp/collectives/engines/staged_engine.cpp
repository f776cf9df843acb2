// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/staged_engine.hpp"

#include <algorithm>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/device/backoff.hpp"

namespace ddproxy {

Runs StagedEngine::assigned(std::size_t piece) const {
  Runs to = pieces_.assigned(piece);
  if (call_.call.adds) to.in_buffer = pieces_.elements(piece);
  return to;
}

void StagedEngine::fetch(std::size_t piece) {
  if (const Runs from = pieces_.read(piece); from.count > 0) staging_->fetch(piece % 2, from);
  if (call_.call.adds) staging_->fetch(piece % 2, assigned(piece));
}

void StagedEngine::begin(CollectiveCall const& call, Completion ready) {
  check_call(call, place_);
  call_ = {call, Clock::now(), {}, ready.when};
  piece_ = 0;
  const auto n = static_cast<std::size_t>(place_.ranks);
  pieces_ = CallPieces(call, place_, call.adds ? piece_elements_ / (n + 1) * n : piece_elements_);
  stage_ = Stage::fetching;
  for (std::size_t piece = 0; piece < std::min<std::size_t>(pieces_.count(), 2); ++piece) fetch(piece);
}

bool StagedEngine::test() {
  if (stage_ == Stage::fetching && staging_->over(slot())) begin_piece();
  if (stage_ == Stage::communicating && inner_->test()) finish_piece();
  if (stage_ != Stage::draining || !staging_->over((pieces_.count() - 1) % 2)) return false;
  call_.end = Clock::now();
  return true;
}

void StagedEngine::begin_piece() {
  const std::size_t base = slot() * piece_elements_;
  CollectiveCall call = pieces_.in_buffer(piece_, base);
  if (call.adds) call.assigned.offset = base + pieces_.elements(piece_);
  inner_->begin(call, {Clock::now()});
  stage_ = Stage::communicating;
}

void StagedEngine::finish_piece() {
  if (const Runs to = assigned(piece_); to.count > 0) staging_->put_back(slot(), to);
  if (piece_ + 2 < pieces_.count()) fetch(piece_ + 2);
  stage_ = ++piece_ == pieces_.count() ? Stage::draining : Stage::fetching;
}

void StagedEngine::wait(std::size_t call, CoreIsFree const& core_is_free) {
  for (Backoff backoff; !test(); backoff(core_is_free())) check_time(call);
}

void StagedEngine::check_time(std::size_t call) const {
  check_time_limit(call_, call, place_.rank, timeout_s_);
}

}  // namespace ddproxy
