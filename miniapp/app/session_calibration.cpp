// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/handover.hpp"
#include "miniapp/measure/calibration/rounds.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

std::vector<std::int64_t> bucket_sizes(std::vector<CaseReport> const& reports, WireFormat wire) {
  std::vector<std::int64_t> sizes;
  for (auto const& report : reports)
    for (auto const& bucket : report.item.plan) sizes.push_back(wire_bytes(bucket.bytes, wire));
  return sizes;
}

}  // namespace

void Session::open_calibration() {
  say("calibrating before the cases are verified");
  auto const& config = context_.config;
  auto sizes = sizes_to_measure();
  if (!known_cost_) sizes = with_bucket_sizes(sizes, bucket_sizes(reports_, context_.workload.wire));
  const auto start = Clock::now();
  table_rounds_.emplace(context_, sizes);
  check_sums(table_rounds_->times());
  contention_rounds_.emplace(context_, config.samples);
  take_rounds(0, opening_rounds(calibration_rounds(config.samples)));
  if (context_.copies_for_real())
    context_.copies.bandwidth = measure_copy_bandwidth(context_, config.samples);
  table_seconds_ = seconds_since(context_, start);
  stop_where_signalled(context_.runtime);
  plan_optimal_cases();
}

void Session::close_calibration() {
  say("calibrating before the sweep");
  const int rounds = calibration_rounds(context_.config.samples);
  const auto start = Clock::now();
  take_rounds(opening_rounds(rounds), rounds);
  table_seconds_ += seconds_since(context_, start);
  calibration_.sizes = table_rounds_->times();
  calibration_.runs = contention_rounds_->runs();
  table_rounds_.reset();
  contention_rounds_.reset();
  complete_tables(context_, calibration_, seconds_for_state(table_seconds_));
  predicted_ = true;
  if (!root()) return;
  recorder_->layers(context_.config, context_.workload, calibration_.operations);
  recorder_->allreduce(calibration_.sizes, context_.ranks());
  recorder_->calibration(calibration_.runs);
  calibration_ = without_samples(calibration_);  // from here on the file has the only copy on rank 0
  keep_tables();
  warn_of_mixed_states();
  predict();
  recorder_->flush();
  warn_of_table();
  if (const auto doubt = standstill(runs_of_state(), context_.choice, context_.config.wire, tightest_);
      context_.ranks() > 1 && !doubt.empty())
    results::say_error(fmt::format("warning: {}", doubt));
}

// Calls `record`, which writes all samples so far of one table of the calibration. Then flushes the file if a
// flush is due, so that little is lost if the run is killed. The other ranks wait for rank 0. Collective.
void Session::keep_samples_of(std::function<void()> const& record) {
  context_.runtime.together([&] {
    if (!root()) return;
    record();
    recorder_->flush_if_due();
  });
}

// Takes the rounds from `first` up to, but not including, `last`. Each round takes a share of the samples of
// every table, so that all tables cover the same minutes.
void Session::take_rounds(int first, int last) {
  const int rounds = calibration_rounds(context_.config.samples);
  for (int round = first; round < last; ++round) {
    if (round > 0 && signalled(context_.runtime)) return;  // the samples so far are kept
    const auto before = taken(calibration_.operations, table_rounds_->times());
    add_passes(context_, calibration_.operations, samples_of_round(context_.config.samples, round, rounds));
    keep_samples_of([&] { recorder_->layers(context_.config, context_.workload, calibration_.operations); });
    table_rounds_->take(round, rounds);
    keep_samples_of([&] { recorder_->allreduce(table_rounds_->times(), context_.ranks()); });
    contention_rounds_->take(round, rounds);
    keep_samples_of([&] { recorder_->calibration(contention_rounds_->runs()); });
    SizeTimes handovers = root() ? recorder_->handovers() : SizeTimes();
    add_handovers(context_, handovers, round, rounds);
    keep_samples_of([&] { recorder_->handovers(handovers); });
    if (!root()) continue;
    static const std::vector<SizeTimes> none;  // replayed all-reduces are not measured
    auto const& measured = context_.reduces() ? table_rounds_->times() : none;
    phases_.push_back(
        phase_behind(before, fmt::format("round {}", round + 1), calibration_.operations, measured));
  }
}

void Session::keep_tables() {
  settle_tables(recorder_->sizes());
  keep_ready_times();
  keep_allreduce();
  keep_speeds();
}

bool Session::has_samples_of_all_tables() const {
  const auto sizes = recorder_->sizes();
  return recorder_->passes().samples > 0 && !sizes.empty() &&
         std::ranges::none_of(sizes, [](auto const& size) { return size.seconds.empty(); });
}

// This method uses no MPI.
void Session::keep_open_calibration() {
  if (recorder_ && !predicted_ && has_samples_of_all_tables()) keep_tables();
}

Saved Session::saved() const {
  std::vector<std::size_t> counts;
  if (recorder_)
    for (auto const& of_case : recorder_->samples()) counts.push_back(of_case.size());
  const bool has_samples = std::ranges::any_of(counts, [](std::size_t count) { return count > 0; });
  const auto rounds = counts.empty() ? std::size_t{0} : std::ranges::min(counts);
  const bool has_tables = recorder_ && has_samples_of_all_tables();
  return {earlier_.rounds + static_cast<int>(rounds), !has_samples && !has_tables};
}

void Session::keep_speeds() {
  const auto runs = runs_of_state();
  if (std::ranges::any_of(runs, [](auto const& run) { return run.compute_alone.empty(); })) return;
  recorder_->speeds(runs, cost_->table());
  if (!runs.empty()) keep_table(".contention.csv", contention_csv(runs, context_.workload.wire));
}

}  // namespace ddproxy
