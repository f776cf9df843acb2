// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/app/record/resume.hpp"
#include "miniapp/app/step_session.hpp"
#include "miniapp/app/step_tables.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/machine/clock_probe.hpp"
#include "miniapp/machine/clock_report.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/step/peak_rate.hpp"
#include "miniapp/predict/analysis/json_tables.hpp"
#include "miniapp/predict/analysis/noise_text.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/step/host_waits.hpp"
#include "results/file/trace.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {

// Records the statistics of all samples.
void StepSession::record_samples(std::vector<StepSample> const& samples) {
  if (samples.empty()) return;
  figures_.rows = step_rows(first_, samples, predictions_);
  if (model::has_host_waits(context_.step->graph())) figures_.host_waits = host_waits_of(samples);
  add_throughput(figures_, context_.rank.config);
  recorder_->step(figures_);
}

// Records the times of the collectives of a sharded step in /collectives, where `ddproxy collectives` writes
// its times, too.
void StepSession::record_verbs(std::vector<VerbTimes> const& verbs) {
  std::vector<SizeTimes> rows;
  std::vector<Grouping> groups;
  for (auto const& verb : verbs)
    for (auto const& size : verb.times) {
      rows.push_back(size);
      groups.push_back({verb.ranks, context_.rank.ranks() / verb.ranks, verb.nodes});
    }
  if (!rows.empty()) recorder_->collectives(rows, groups);
}

void StepSession::save() {
  if (!recorder_) return;
  record_samples(recorder_->step_samples());
  recorder_->flush();
}

std::string StepSession::interruption_text() const {
  const std::string part = options_.output.string() + ".part";
  const int taken = earlier_.rounds + (recorder_ ? static_cast<int>(recorder_->step_samples().size()) : 0);
  if (taken == 0)
    return fmt::format(
        "interrupted by a signal before the first sample; what was measured is saved in {}. --resume needs a "
        "sample, so start the step again",
        part);
  return fmt::format(
      "interrupted by a signal; what was measured is saved in {}. {} of {} samples are complete. "
      "To continue, repeat the command with --resume {}",
      part, taken, context_.rank.config.samples, part);
}

// Measured and predicted traces are recorded with one graph, the one that was run. The prediction used a
// graph with fp32 on the wire, but its tasks and buffers are the same.
void StepSession::record_timeline() {
  auto const& rank = context_.rank;
  const auto traces = gather_traces(rank.runtime, meter_.trace());
  rank.runtime.together([&] {
    if (!root()) return;
    auto const& graph = context_.step->graph();
    auto const& predicted = predictions_.contended.trace;
    recorder_->timeline(rank.workload, {{graph, traces, predicted}});
    const auto forecast = model::summarise(graph, predicted, {.total = predictions_.contended.phases.step});
    figures_.lanes = step_lanes(model::summarise(graph, meter_.trace()), forecast);
    recorder_->step_lanes(figures_.lanes);
    recorder_->step_memory(rank.memory.size() * sizeof(float), {forecast.memory.peak});
  });
}

void StepSession::record_memory() {
  auto const& rank = context_.rank;
  const double taken = needs_device_memory(rank.config)
                           ? (rank.device_free - free_device_memory()) / rank.runtime.ranks_on_device()
                           : peak_memory();
  const auto peaks = rank.runtime.gather(std::vector<double>{taken});
  if (!root()) return;
  const double need = step_need_with_results_file(context_);
  recorder_->memory(peaks, need);
  report_ += memory_line(peaks, need);
}

void StepSession::finish() {
  auto const& rank = context_.rank;
  figures_.valid = results::validity_of(!context_.kernels, !rank.reduces(), rank.runtime.ranks());
  if (oversubscribed_ && figures_.valid != results::Validity::replay)
    figures_.valid = results::Validity::oversubscribed;
  record_timeline();
  record_memory();  // before measured_peak(), which allocates more memory
  if (context_.kernels) figures_.measured_peak = measured_peak(rank.runtime);
  const auto clocks_after = gather_clocks(rank.runtime, gpu_.get());
  context_.rank.runtime.together([&] {
    if (!root()) return;
    const auto samples = recorder_->step_samples();
    record_samples(samples);
    recorder_->gpu_clocks(clocks_before_, clocks_after);
    if (const auto doubt = doubt_about_throttling(clocks_before_, clocks_after); !doubt.empty())
      results::say_error("warning: " + doubt);
    if (const auto doubt = negative_exposed(samples); !doubt.empty()) results::say_error("warning: " + doubt);
    const auto step = std::ranges::find(figures_.rows, "step", &StepRow::name);
    if (const auto noise = noise_warning({{"the step", step->median}}, spinning_); !noise.empty())
      results::say_error("warning: " + noise);
    report_ = step_table(figures_, context_.rank.config, context_.cap_mib) + report_;
    report_ += resumed_text(options_, earlier_, samples.size());
    if (!hypothetical_.empty()) report_ += hypothetical_ + "\n";
    const auto file = recorder_->reader();
    recorder_->finish({});
    results::print_output(
        fmt::format("{}results: {}\n{}\n", report_, options_.output.string(), to_line(figures_)));
    if (!options_.json.empty()) write_json(file, numbers_of(figures_), figures_.valid, options_.json);
    if (!options_.trace.empty()) results::write_trace(file, {}, options_.trace);
  });
}

}  // namespace ddproxy
