// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/allreduce_staged.hpp"

#include <algorithm>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/device/backoff.hpp"

namespace ddproxy {

Slice StagedEngine::slice_of(std::size_t piece) const {
  auto const& whole = bucket_.slice;
  const std::size_t first = piece * piece_elements_;
  return {whole.offset + first, std::min(piece_elements_, whole.count - first)};
}

void StagedEngine::begin(Slice slice, Completion ready) {
  bucket_ = {slice, Clock::now(), {}, ready.when};
  piece_ = 0;
  pieces_ = (slice.count + piece_elements_ - 1) / piece_elements_;
  stage_ = Stage::fetching;
  for (std::size_t piece = 0; piece < std::min<std::size_t>(pieces_, 2); ++piece)
    staging_->fetch(piece, slice_of(piece));
}

bool StagedEngine::test() {
  if (stage_ == Stage::fetching && staging_->over(slot())) reduce_piece();
  if (stage_ == Stage::reducing && inner_->test()) finish_piece();
  if (stage_ != Stage::draining || !staging_->over((pieces_ - 1) % 2)) return false;
  bucket_.end = Clock::now();
  return true;
}

void StagedEngine::reduce_piece() {
  inner_->begin({slot() * piece_elements_, slice_of(piece_).count}, {Clock::now()});
  stage_ = Stage::reducing;
}

void StagedEngine::finish_piece() {
  staging_->put_back(slot(), slice_of(piece_));
  if (piece_ + 2 < pieces_) staging_->fetch(slot(), slice_of(piece_ + 2));
  stage_ = ++piece_ == pieces_ ? Stage::draining : Stage::fetching;
}

void StagedEngine::wait(std::size_t bucket) {
  for (Backoff backoff; !test(); backoff()) check_time_limit(bucket_, bucket, rank_, timeout_s_);
}

}  // namespace ddproxy
