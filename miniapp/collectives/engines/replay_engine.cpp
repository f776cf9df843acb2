// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/replay_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/device/backoff.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {

ReplayEngine::ReplayEngine(CollectiveCost cost, std::int64_t exact_factor, std::shared_ptr<ReplayLink> link)
    : cost_(std::move(cost)), exact_factor_(exact_factor), link_(std::move(link)), lane_(link_->add_lane()) {}

ReplayEngine::ReplayEngine(model::AllreduceCost cost)
    : ReplayEngine([cost = std::move(cost)](model::Verb verb, std::int64_t bytes) {
        if (verb == model::Verb::all_reduce) return cost(bytes);
        throw std::invalid_argument(fmt::format(
            "{} cannot be replayed: the input has only the times of all-reduces", model::name_of(verb)));
      }) {}

double ReplayEngine::take(CollectiveCall const& call) {
  const auto elements = static_cast<std::int64_t>(full_slice(call).count);
  elements_[call.verb] += elements;
  const std::int64_t bytes = elements * gradient_element_bytes;
  return cost_(call.verb, call.exact ? bytes * exact_factor_ : bytes);
}

void ReplayEngine::begin(CollectiveCall const& call, Completion ready) {
  begin(call, ready, take(call));
}

void ReplayEngine::begin_group(std::span<const PostedCall> calls, Completion ready) {
  double longest = 0;
  for (auto const& each : calls) longest = std::max(longest, take(each.call));
  begin(calls.front().call, ready, longest);
}

void ReplayEngine::begin(CollectiveCall const& call, Completion ready, double seconds) {
  const auto start = std::max(ready.when, call_.end);
  call_ = {call, start, start, ready.when};
  link_->begin(lane_, start, seconds);
  in_flight_ = true;
}

bool ReplayEngine::test() {
  if (!in_flight_) return true;
  const auto end = link_->ends_by(lane_, Clock::now());
  if (!end) return false;
  call_.end = *end;
  in_flight_ = false;
  return true;
}

// Sleeps until the first transfer on the link ends. If this is a transfer of another lane, pauses until the
// thread of that lane has called ends_by() for it.
void ReplayEngine::wait(std::size_t, CoreIsFree const&) {
  sleep_until(link_->next_end());
  for (Backoff pause; !test(); pause()) sleep_until(link_->next_end());
}

}  // namespace ddproxy
