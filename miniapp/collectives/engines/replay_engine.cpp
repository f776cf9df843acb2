// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/replay_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/device/backoff.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {

ReplayEngine::ReplayEngine(model::AllreduceCost cost)
    : cost_([cost = std::move(cost)](model::Verb verb, std::int64_t bytes) {
        if (verb == model::Verb::all_reduce) return cost(bytes);
        throw std::invalid_argument(fmt::format(
            "{} cannot be replayed: the input has the times of all-reduces alone", model::name_of(verb)));
      }) {}

void ReplayEngine::begin(CollectiveCall const& call, Completion ready) {
  const std::size_t elements = full_slice(call).count;
  const std::chrono::duration<double> takes(
      cost_(call.verb, static_cast<std::int64_t>(elements * sizeof(float))));
  const auto start = std::max(ready.when, call_.end);
  call_ = {call, start, start + std::chrono::duration_cast<Clock::duration>(takes), ready.when};
  elements_[call.verb] += static_cast<std::int64_t>(elements);
}

void ReplayEngine::wait(std::size_t) {
  sleep_until(call_.end);
}

}  // namespace ddproxy
