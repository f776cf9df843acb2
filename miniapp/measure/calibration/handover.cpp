// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/handover.hpp"

#include <algorithm>

#include "miniapp/device/device.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/rounds.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t calls_of_sample = 64;

enum class Carrier { communication_thread, host };

// Returns the seconds of one all-reduce of `slice`, the maximum over the ranks.
double seconds_of_one(RankContext& context, Slice slice, Carrier carrier) {
  auto& lane = *context.allreduce;
  lane.begin(calls_of_sample);
  synchronise_clocks();
  context.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t call = 0; call < calls_of_sample; ++call) {
    lane.start_all_reduce(slice, {start});
    if (carrier == Carrier::communication_thread) lane.progress();
    lane.wait_for(call);
  }
  return context.runtime.maximum(seconds_since(start)) / static_cast<double>(calls_of_sample);
}

}  // namespace

bool hands_over(RankContext const& context) {
  Config const& config = context.config;
  if (on_device || config.backend != Backend::mpi || config.progress != Progress::thread) return false;
  return context.ranks() > 1 && context.runtime.maximum(context.choice.own_core ? 0.0 : 1.0) > 0;
}

void add_handovers(RankContext& context, SizeTimes& times, int round, int rounds) {
  if (!hands_over(context)) return;
  times.bytes = std::ranges::min(context.workload.gradient_bytes);
  const Slice slice{0, static_cast<std::size_t>(times.bytes / gradient_element_bytes)};
  for (int turn = 0; turn < samples_of_round(samples_of_handover, round, rounds); ++turn) {
    if (round + turn > 0 && signalled(context.runtime)) return;  // keeps the samples so far
    probed(context.probe.get(), times.probes, [&] {
      const double by_host = seconds_of_one(context, slice, Carrier::host);
      times.seconds.push_back(seconds_of_one(context, slice, Carrier::communication_thread) - by_host);
    });
  }
}

double handover_seconds(SizeTimes const& times) {
  return times.seconds.empty() ? 0 : std::max(0.0, model::median(times.seconds));
}

}  // namespace ddproxy
