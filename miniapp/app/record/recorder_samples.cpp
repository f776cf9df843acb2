// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"

// The samples of a sweep and of whole steps. Only the file holds them. The code that analyses them reads them
// back with samples() and step_samples().
namespace ddproxy {
namespace {

constexpr std::pair<char const*, std::vector<double> Sample::*> of_ranks[] = {  // [case, sample, rank]
    {"/sweep/measured", &Sample::total},
    {"/sweep/compute", &Sample::compute},
    {"/sweep/backward_end", &Sample::backward_end},
    {"/sweep/arrival", &Sample::arrival}};
constexpr std::pair<char const*, double Sample::*> probes[] = {  // [case, sample]
    {"/sweep/probe_before", &Sample::probe_before},
    {"/sweep/probe_after", &Sample::probe_after},
    {"/sweep/compute_probe_before", &Sample::compute_probe_before},
    {"/sweep/compute_probe_after", &Sample::compute_probe_after}};

// Returns the values of a dataset; an empty list if the file does not have it.
Reals values_of(results::Reader const& file, char const* dataset) {
  return file.has(dataset) ? file.reals(dataset) : Reals();
}

// Returns `count` values from index `first` on. Returns an empty list if `values` is empty.
Reals slice_of(Reals const& values, std::size_t first, std::size_t count) {
  if (values.empty()) return {};
  const std::span some = std::span(values).subspan(first, count);
  return {some.begin(), some.end()};
}

}  // namespace

void Recorder::reserve_samples(RankContext const& context, std::size_t cases) {
  const auto rounds = static_cast<std::size_t>(rounds_to_take(context.config));
  const auto ranks = static_cast<std::size_t>(context.computing_ranks());
  for (auto const& [name, times] : of_ranks) writer_.reserve(name, {cases, rounds, ranks});
  writer_.reserve("/sweep/comm_alone", {cases, rounds});
  writer_.reserve("/sweep/order", {cases, rounds});
  if (ranks > 1) writer_.reserve("/sweep/bucket_alone", {rounds, first_bucket_.back()});
  for (auto const& [name, probe] : probes)
    if (context.probe) writer_.reserve(name, {cases, rounds});
}

void Recorder::sample(std::size_t item, int round, int position, Sample const& sample) {
  const std::vector<std::size_t> at{item, static_cast<std::size_t>(round)}, one{1, 1};
  for (auto const& [name, times] : of_ranks)
    writer_.write_part(name, {at[0], at[1], 0}, {1, 1, (sample.*times).size()}, sample.*times);
  for (auto const& [name, probe] : probes)
    if (std::isfinite(sample.*probe)) writer_.write_part(name, at, one, std::array{sample.*probe});
  auto const& alone = sample.buckets_alone;
  writer_.write_part("/sweep/comm_alone", at, one, std::array{sample.communication_alone()});
  if (!alone.empty() && alone.size() == buckets_of(item))
    writer_.write_part("/sweep/bucket_alone", {at[1], first_bucket_[item]}, {1, alone.size()}, alone);
  writer_.write_part("/sweep/order", at, one, std::array{std::int64_t{position}});
}

std::vector<std::vector<Sample>> Recorder::samples() const {
  const auto file = writer_.reader();
  if (!file.has("/sweep/order")) return {};
  const auto order = file.integers("/sweep/order");
  const auto extents = file.extents("/sweep/measured");  // cases, rounds, ranks
  const std::size_t rounds = extents[1], ranks = extents[2];
  std::vector<Reals> times, probed;
  for (auto const& [name, member] : of_ranks) times.push_back(file.reals(name));
  for (auto const& [name, member] : probes) probed.push_back(values_of(file, name));
  const auto sums = file.reals("/sweep/comm_alone"), alone = values_of(file, "/sweep/bucket_alone");
  std::vector<std::vector<Sample>> samples(extents[0]);
  for (std::size_t at = 0; at < order.size(); ++at) {  // at = item * rounds + round
    if (order[at] < 0) continue;
    const std::size_t item = at / rounds, round = at % rounds;
    Sample& sample = samples[item].emplace_back();
    sample.round = round;
    for (std::size_t k = 0; k < times.size(); ++k)
      (sample.*of_ranks[k].second) = slice_of(times[k], at * ranks, ranks);
    for (std::size_t k = 0; k < probed.size(); ++k)
      if (!probed[k].empty()) sample.*probes[k].second = probed[k][at];
    if (std::isnan(sums[at])) continue;
    sample.buckets_alone =
        slice_of(alone, round * first_bucket_.back() + first_bucket_[item], buckets_of(item));
    if (sample.buckets_alone.empty() || std::isnan(sample.buckets_alone.front()))
      sample.buckets_alone = {sums[at]};
  }
  return samples;
}

std::vector<StepSample> Recorder::step_samples() const {
  const auto file = writer_.reader();
  if (!file.has("/step/alone")) return {};
  const auto parts = file.reals("/step/measured"), alone = file.reals("/step/alone");
  const auto host_waits = file.reals("/step/host_waits");
  std::vector<StepSample> samples;
  for (std::size_t k = 0; k < alone.size() && !std::isnan(alone[k]); ++k) {
    Reals seconds;
    for (std::size_t at = k; at < parts.size(); at += alone.size()) seconds.push_back(parts[at]);
    samples.push_back(to_step_sample(seconds, alone[k], host_waits[k]));
  }
  return samples;
}

}  // namespace ddproxy
