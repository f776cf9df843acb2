// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "kernels/gemm.hpp"
#include "miniapp/analysis/json_tables.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "miniapp/machine/memory.hpp"
#include "model/step/describe.hpp"
#include "results/file/trace.hpp"
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
  results::print_output(
      fmt::format("{}{}\n", report.line,
                  report.second_start.empty()
                      ? ""
                      : ". To set these variables, ddproxy restarted itself: " + report.second_start));
  for (auto const& warning : report.warnings) results::say_error(fmt::format("warning: {}", warning));
}

void Session::layers() {
  say("timing the operations");
  operation_times_ = measure_operations(context_, context_.config.samples);
  if (!root()) return;
  keep_layers();
  recorder_->flush();
  const bool replayed = context_.config.compute == ComputeMode::replay;
  if (options_.command == "layers") report_ += layer_table(context_.workload, operation_times_, replayed);
}

void Session::keep_layers() {
  recorder_->layers(context_.config, context_.workload, operation_times_);
  keep_ready_times();
}

// Uses only the passes that were measured in the state `state_` (layers_of_state()).
void Session::keep_ready_times() {
  const auto times = layers_of_state();
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
  allreduce_times_ = measure_allreduce(context_, sizes);
  table_seconds_ = seconds_since(context_, start);
  complete_table(context_, allreduce_times_, seconds_for_state(table_seconds_));
  if (root()) {
    settle_tables();
    warn_of_mixed_states();
    keep_allreduce();
    recorder_->flush();
  }
  check_sums();
  figures_.valid = results::validity_of(false, !context_.reduces(), context_.ranks());
}

void Session::check_sums() const {
  const auto words = [](model::Verb verb) {
    std::string text(model::name_of(verb));
    std::ranges::replace(text, '_', '-');
    return text;
  };
  context_.runtime.together([&] {
    for (auto const& size : allreduce_times_)
      if (size.wrong > 0)
        throw WrongNumbers(fmt::format("{} of {} bytes: {} wrong elements over all ranks", words(size.verb),
                                       size.bytes, size.wrong));
  });
}

void Session::keep_allreduce() {
  recorder_->allreduce(allreduce_times_, context_.ranks());
  recorder_->call("/allreduce", context_);
  keep_cost();
  if (options_.command == "allreduce")
    report_ += allreduce_table(sizes_of_state(), context_.ranks(), !context_.reduces());
}

// Derives a(x) from the samples that were measured in the state `state_` (sizes_of_state()).
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
  if (!root()) return;
  recorder_->pieces(times, total);
  recorder_->call("/allreduce", context_);
  recorder_->flush();
  report_ += pieces_table(times, total);
}

void Session::finish() {
  const int concurrency = kernels::Space().concurrency();
  const bool of_device = on_device && needs_arena(context_.config);
  // All arrays still exist here, so the free memory of the device is at its smallest. Ranks that share a
  // device take equal parts of the memory in use.
  const double taken =
      of_device ? (context_.device_free - free_device_memory()) / context_.runtime.ranks_on_device()
                : peak_memory();
  const auto peaks = context_.runtime.gather(std::vector<double>{taken});
  const double need = of_device
                          ? device_memory_need(context_.config, context_.workload, concurrency)
                          : context_.file_need + host_memory_need(context_.config, context_.workload,
                                                                  concurrency, context_.runtime.ranks());
  const auto clocks_after = gather_clocks(context_.runtime, context_.probe.get());
  context_.runtime.together([&] {
    if (!root()) return;
    keep_states();
    recorder_->gpu_clocks(clocks_before_, clocks_after);
    if (const auto slowed = doubt_about_throttling(clocks_before_, clocks_after); !slowed.empty())
      results::say_error("warning: " + slowed);
    recorder_->memory(peaks, need);
    if (on_device && compares_precision(context_.config))
      recorder_->precision_memory(precision_memory(context_.config, context_.workload));
    report_ += memory_line(peaks, need);
    if (context_.config.compute == ComputeMode::kernels && !kernels::gemm_advice().empty())
      report_ += kernels::gemm_advice() + "\n";
    using results::Validity;
    if (oversubscribed_ && (figures_.valid == Validity::yes || figures_.valid == Validity::single))
      figures_.valid = Validity::oversubscribed;
    recorder_->figures(figures_);
    const auto file = recorder_->reader();
    recorder_->finish(tables_);
    report_ += fmt::format("results: {}\n{}\n", options_.output.string(), to_line(figures_));
    results::print_output(std::exchange(report_, ""));
    if (!options_.json.empty()) write_json(file, figures_, options_.json);
    if (!options_.trace.empty()) results::write_trace(file, options_.trace_cases, options_.trace);
    const auto beyond = beyond_limits(figures_, options_.max_model_error, options_.max_regret);
    if (!beyond.empty()) throw CollectiveError(exit_regression, beyond);
  });
}

}  // namespace ddproxy
