// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/replay/slowed_lane.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "miniapp/input/words.hpp"

namespace ddproxy {

SlowedLane::SlowedLane(std::unique_ptr<ComputeLane> lane, model::BackwardPass const& pass,
                       std::string const& text)
    : lane_(std::move(lane)) {
  const auto colon = text.find(':');
  const auto kind = find_word(text.substr(0, colon), operation_kind_words);
  if (colon != std::string::npos) share_ = std::strtod(text.c_str() + colon + 1, nullptr);
  for (auto const& operation : pass.operations) slowed_.push_back(kind && operation.kind == *kind);
  if (!(share_ > 0) || std::ranges::find(slowed_, true) == slowed_.end())
    throw std::invalid_argument(
        "--slow-operator " + text +
        ": give a kind of operator of this model and a share, for instance linear:0.03");
}

void SlowedLane::run(std::size_t operation) {
  const auto start = Clock::now();
  lane_->run(operation);
  if (!slowed_[operation]) return;
  lane_->fence();
  const auto end = Clock::now();
  const auto more = std::chrono::duration_cast<Clock::duration>((end - start) * share_);
  while (Clock::now() < end + more) {
  }
}

}  // namespace ddproxy
