// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/device/device.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/collective_row.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/rounds.hpp"
#include "miniapp/measure/calibration/verify_collective.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr double least_sample_s =
    2e-3;  // so long that the resolution of the clock and the first wake-up of a thread do not matter
constexpr double time_a_size_s = 0.4;
constexpr std::int64_t long_message = 1 << 20;
constexpr int least_samples = 4, most_samples = 50, most_calls = 256;

int calls_of_sample(double seconds_of_one) {
  return std::clamp(static_cast<int>(least_sample_s / seconds_of_one), 1, most_calls);
}

// Verifies the first and the last call of a row. Returns the wrong elements of both, and the seconds of the
// first call.
VerifiedCall verify_ends(RankContext& context, std::vector<CollectiveCall> const& row) {
  VerifiedCall verified = verify_collective(context, row.front());
  if (row.size() > 1 && verified.wrong >= 0) verified.wrong += verify_collective(context, row.back()).wrong;
  return verified;
}

void take_sample(RankContext& context, SizeTimes& times, int calls) {
  const auto row = row_of_sample(context, times, static_cast<std::size_t>(calls));
  probed(context.probe.get(), times.probes,
         [&] { times.seconds.push_back(time_calls(context, row) / calls); });
}

}  // namespace

std::vector<Slice> consecutive_slices(Slice region, std::size_t elements, std::size_t calls,
                                      std::size_t before) {
  const std::size_t places = std::max<std::size_t>(1, region.count / elements);
  std::vector<Slice> slices;
  for (std::size_t call = before; call < before + calls; ++call)
    slices.push_back({region.offset + call % places * elements, elements});
  return slices;
}

double time_calls(RankContext& context, std::vector<CollectiveCall> const& calls) {
  context.allreduce->begin(calls.size());
  synchronise_clocks();
  context.runtime.barrier();
  const auto start = Clock::now();
  for (auto const& call : calls)
    if (takes_part(call)) context.allreduce->start(call, {start});
  context.allreduce->wait_all();
  return context.runtime.maximum(seconds_since(start));
}

double time_row(RankContext& context, std::vector<Slice> const& slices) {
  std::vector<CollectiveCall> calls;
  for (auto const& slice : slices) calls.push_back(all_reduce(slice));
  return time_calls(context, calls);
}

std::vector<std::int64_t> with_bucket_sizes(std::vector<std::int64_t> const& general,
                                            std::vector<std::int64_t> buckets) {
  const auto within = [](std::int64_t one, std::int64_t other, double factor) {
    const auto [low, high] = std::minmax(one, other);
    return static_cast<double>(high) <= factor * static_cast<double>(low);
  };
  std::ranges::sort(buckets);
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : buckets)
    if (sizes.empty() || !within(sizes.back(), bytes, 1.1)) sizes.push_back(bytes);
  const std::vector<std::int64_t> kept = sizes;
  for (const std::int64_t bytes : general) {
    const bool is_end = bytes == general.front() || bytes == general.back();
    const bool is_near = std::ranges::any_of(kept, [&](auto size) { return within(size, bytes, 1.25); });
    if (is_end || !is_near) sizes.push_back(bytes);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

CollectiveRounds::CollectiveRounds(RankContext& context, std::vector<std::int64_t> const& sizes,
                                   std::vector<model::Verb> const& verbs)
    : context_(&context) {
  for (const auto verb : verbs)
    for (const std::int64_t bytes : sizes) add({bytes, {}, -1, {}, verb});
}

void CollectiveRounds::add(SizeTimes times) {
  // The first call that is timed. For a send, also the second one, which goes in the other direction.
  const auto row = row_of_sample(*context_, times, is_transfer(times.verb) ? 2 : 1);
  const auto [wrong, first] = verify_ends(*context_, row);
  times.wrong = wrong;
  // The first call of a size may be slower than later calls, and the very first call may be much slower. So
  // the call is repeated, unless the message is long and the call took at least time_a_size_s.
  const bool repeats = first < time_a_size_s || times.bytes < long_message;
  const double once = repeats ? time_calls(*context_, row) / static_cast<double>(row.size()) : first;
  times_.push_back(std::move(times));
  calls_.push_back(calls_of_sample(once));
  samples_.push_back(
      std::clamp(static_cast<int>(time_a_size_s / (once * calls_.back())), least_samples, most_samples));
}

// Takes one sample of each size in turn. So if the machine is disturbed for a second, this spoils one sample
// of several sizes, and not all samples of one size.
void CollectiveRounds::take(int round, int rounds) {
  for (int turn = 0; turn < most_samples; ++turn) {
    if (round + turn > 0 && signalled(context_->runtime)) return;  // keeps the samples so far
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (turn < samples_of_round(samples_[i], round, rounds)) take_sample(*context_, times_[i], calls_[i]);
  }
}

std::vector<SizeTimes> measure_allreduce(RankContext& context, std::vector<std::int64_t> const& sizes) {
  return measure_collectives(context, {model::Verb::all_reduce}, sizes);
}

std::vector<SizeTimes> measure_collectives(RankContext& context, std::vector<model::Verb> const& verbs,
                                           std::vector<std::int64_t> const& sizes) {
  CollectiveRounds table(context, sizes, verbs);
  table.take(0, 1);
  return table.times();
}

void add_sample(RankContext& context, SizeTimes& times) {
  take_sample(context, times, calls_of_sample(model::median(times.seconds)));
}

SizeTimes measure_pieces(RankContext& context, std::int64_t total, std::int64_t piece, int samples,
                         model::Verb verb) {
  const auto row = row_of_pieces(context, verb, total, piece);
  SizeTimes times{piece, {}, verify_ends(context, row).wrong, {}, verb};
  for (int i = 0; i < samples; ++i) times.seconds.push_back(time_calls(context, row));
  return times;
}

double algorithm_bandwidth(SizeTimes const& times) {
  return static_cast<double>(times.bytes) / model::median(times.seconds);
}

double bus_factor(model::Verb verb, int ranks) {
  const double others = (ranks - 1.0) / ranks;
  if (verb == model::Verb::all_reduce) return 2 * others;
  return has_parts(verb) ? others : 1;
}

double bus_bandwidth(SizeTimes const& times, int ranks) {
  return algorithm_bandwidth(times) * bus_factor(times.verb, ranks);
}

std::vector<model::CostPoint> to_table(std::vector<SizeTimes> const& times) {
  std::vector<model::CostPoint> table;
  for (auto const& size : times) table.push_back({size.bytes, model::median(size.seconds)});
  return table;
}

}  // namespace ddproxy
