// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <utility>

#include "kernels/gemm/gemm.hpp"
#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/predict/analysis/json_tables.hpp"
#include "results/file/trace.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

// Gathers on rank 0 the memory that each rank took, in bytes: device memory if the arrays are on a device,
// else the peak of host memory. Collective. Call it while all arrays exist, because the free memory of the
// device is then at its smallest. If ranks share a device, the memory in use is divided equally among them.
std::vector<double> gather_peaks(RankContext const& context) {
  const double taken = needs_device_memory(context.config)
                           ? (context.device_free - free_device_memory()) / context.runtime.ranks_on_device()
                           : peak_memory();
  return context.runtime.gather(std::vector<double>{taken});
}

// Returns the memory, in bytes, that rank 0 was predicted to need.
double predicted_need(RankContext const& context) {
  return need_with_results_file(memory_need(context.config, context.buffers), context.file_need);
}

}  // namespace

void Session::finish() {
  const auto peaks = gather_peaks(context_);
  const auto clocks_after = gather_clocks(context_.runtime, context_.probe.get());
  context_.runtime.together([&] {
    if (!root()) return;
    keep_states();
    keep_clocks(clocks_after);
    keep_memory(peaks);
    if (context_.config.compute == ComputeMode::kernels && !kernels::gemm_advice().empty())
      results::say_error("warning: " + kernels::gemm_advice());
    write_results();
    const auto beyond = beyond_limits(figures_, options_.max_model_error, options_.max_regret);
    if (!beyond.empty()) throw CollectiveError(exit_regression, beyond);
  });
}

void Session::keep_clocks(ClocksOfRanks const& after) {
  recorder_->gpu_clocks(clocks_before_, after);
  if (const auto slowed = doubt_about_throttling(clocks_before_, after); !slowed.empty())
    results::say_error("warning: " + slowed);
}

void Session::keep_memory(std::vector<double> const& peaks) {
  const double need = predicted_need(context_);
  recorder_->memory(peaks, need);
  if (const double bytes = written_bytes(context_.buffers, BufferUse::precisions, MemoryKind::host);
      bytes > 0)
    recorder_->precision_memory(bytes);
  report_ += memory_line(peaks, need);
}

// Finishes the results file and the files beside it, and prints the tables and the figure of merit.
void Session::write_results() {
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
}

}  // namespace ddproxy
