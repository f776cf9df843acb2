// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "miniapp/app/tables.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "model/step/describe.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

Session::Session(Options const& options, RankContext context, std::vector<Case> cases, EarlierRounds earlier)
    : options_(options), context_(std::move(context)), earlier_(std::move(earlier)) {
  const auto provenance = gather_provenance(context_);
  const auto doubt = doubt_about_numa(provenance.numa_node, provenance.device_numa_node);
  if (root() && !doubt.empty()) results::say_error(fmt::format("warning: {}", doubt));
  const auto hidden = doubt_about_visible_devices(provenance.visible.count, provenance.host, provenance.uuid);
  if (!hidden.empty()) results::say_error(fmt::format("warning: {}", hidden));
  say_threads(provenance.threads);
  context_.runtime.together([&] {
    if (!root()) return;
    recorder_.emplace(options, context_.config);
    recorder_->resumed(earlier_);
    recorder_->provenance(provenance);
    recorder_->model(context_.config, context_.workload);
    recorder_->flush();
    for (auto const& warning : recorder_->warnings()) results::say_error("warning: " + warning);
  });
  clocks_before_ = gather_clocks(context_.runtime, context_.probe.get());
  if (const auto capped = doubt_about_power_caps(clocks_before_); !capped.empty())
    results::say_error("warning: " + capped);
  for (auto& item : cases) reports_.push_back({std::move(item), {}, {}, 0});
}

Session::~Session() {
  results::print_output(report_);
}

void Session::save() {
  if (recorder_) recorder_->flush();
}

// Keeps a table until finish() writes it. Replaces an earlier table of the same name.
void Session::keep_table(std::string const& ending, std::string text) {
  const auto path = beside(options_.output, ending);
  std::erase_if(tables_, [&](auto const& table) { return table.path == path; });
  tables_.push_back({path, std::move(text)});
}

void Session::say(std::string const& progress) const {
  note_step(progress);
  if (root() && isatty(STDERR_FILENO)) results::say_error(fmt::format("ddproxy: {}", progress));
}

// Prints the line and the warnings about threads. Prints nothing for a twin, because a twin neither computes
// nor reduces on the cores of this machine.
void Session::say_threads(ThreadReport const& report) {
  const bool is_twin = context_.config.compute == ComputeMode::replay && !context_.reduces();
  if (!root() || is_twin || report.line.empty()) return;
  oversubscribed_ = report.oversubscribed;
  tightest_ = report.tightest;
  spinning_ = report.spinning && context_.config.compute == ComputeMode::kernels;
  results::print_output(fmt::format(
      "{}{}\n", report.line,
      report.second_start.empty()
          ? ""
          : fmt::format(". ddproxy set {} in its environment and restarted itself", report.second_start)));
  for (auto const& warning : report.warnings) results::say_error(fmt::format("warning: {}", warning));
}

void Session::layers() {
  say("timing the operations");
  const auto times = measure_operations(context_, context_.config.samples);
  if (!root()) return;
  recorder_->layers(context_.config, context_.workload, times);
  keep_ready_times();
  recorder_->flush();
  report_ += layer_table(context_.workload, times, context_.config.compute == ComputeMode::replay);
}

// Computes the ready times from the passes that were measured in the state `state_` (operations_of_state()).
// Records them, and makes the tables of layers and gradients.
void Session::keep_ready_times() {
  const auto times = operations_of_state();
  const auto ready = slowest_ready(context_.workload, times);
  const bool replayed = context_.config.compute == ComputeMode::replay;
  recorder_->ready_times(ready);
  keep_table(".layers.csv", layer_csv(context_.workload, times, replayed));
  keep_table(".gradients.csv", gradient_csv(context_.workload, ready, replayed));
}

std::vector<std::int64_t> Session::sizes_to_measure() {
  if (!context_.reduces()) known_cost_ = input_cost(context_.config);
  std::vector<std::int64_t> sizes;
  if (known_cost_)
    std::ranges::transform(known_cost_->table(), std::back_inserter(sizes), &model::CostPoint::bytes);
  else
    sizes = message_sizes(wire_bytes(context_.workload.bytes(), context_.workload.wire));
  return sizes;
}

void Session::allreduce() {
  say("timing the all-reduce");
  const auto sizes = sizes_to_measure();
  const auto start = Clock::now();
  auto times = measure_allreduce(context_, sizes);
  complete_table(context_, times, seconds_for_state(seconds_since(context_, start)));
  if (root()) {
    recorder_->allreduce(times, context_.ranks());
    settle_tables(times);
    warn_of_mixed_states();
    keep_allreduce();
    report_ += allreduce_table(sizes_of_state(), context_.ranks(), !context_.reduces());
    recorder_->flush();
  }
  check_sums(times);
  figures_.valid = results::validity_of(false, !context_.reduces(), context_.ranks());
}

void Session::check_sums(std::vector<SizeTimes> const& times) const {
  const auto words = [](model::Verb verb) {
    std::string text(model::name_of(verb));
    std::ranges::replace(text, '_', '-');
    return text;
  };
  context_.runtime.together([&] {
    for (auto const& size : times)
      if (size.wrong > 0)
        throw WrongNumbers(
            fmt::format("{} of {} bytes: {} wrong elements in the results of all ranks; do not use the times "
                        "of this run, and check the MPI or NCCL library",
                        words(size.verb), size.bytes, size.wrong));
  });
}

void Session::keep_allreduce() {
  recorder_->call("/allreduce", context_);
  keep_cost();
}

// Derives a(x) from the samples that were measured in the state `state_` (sizes_of_state()). If all-reduces
// are replayed, takes a(x) from the input.
void Session::keep_cost() {
  const auto sizes = sizes_of_state();
  cost_ = known_cost_ ? *known_cost_ : model::TableCost(to_table(sizes));
  recorder_->allreduce_figures(sizes, context_.ranks());
  recorder_->cost_table(cost_->table());
  keep_table(".allreduce.csv", allreduce_csv(sizes, context_.ranks(), !context_.reduces()));
  figures_.bus_bw_GBps = bus_bandwidth(sizes.back(), context_.ranks()) / 1e9;
}

std::int64_t Session::total_to_move() const {
  return options_.total_mib > 0 ? static_cast<std::int64_t>(options_.total_mib * model::bytes_per_mib)
                                : wire_bytes(context_.workload.bytes(), context_.workload.wire);
}

void Session::pieces() {
  const auto total = total_to_move();
  std::vector<SizeTimes> times;
  for (double mib : options_.pieces_mib)
    times.push_back(measure_pieces(context_, total, static_cast<std::int64_t>(mib * model::bytes_per_mib),
                                   context_.config.samples));
  if (root()) {
    recorder_->pieces(times, total);
    recorder_->call("/allreduce", context_);
    recorder_->flush();
    report_ += pieces_table(times, total);
  }
  check_sums(times);
}

}  // namespace ddproxy
