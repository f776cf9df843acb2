// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/dry_run.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/model_words.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

std::string describe_case(Case const& item) {
  if (item.plan.empty())
    return fmt::format("  {:<16} the run makes its plan from the times that it measures\n", item.name());
  return fmt::format("  {:<16} {:>5} {}\n", item.name(), item.plan.size(), buckets_text(item.plan));
}

// A sample takes a pass with communication and a pass without. With config.shared_compute all cases of a
// round share the pass without communication. One more pass of each case is needed for verification. The
// warm-ups ([sweep] warmup) are not counted.
std::string describe_time(Config const& config, model::Job const& job, std::vector<Case> const& cases) {
  double sum = 0;
  for (auto const& item : cases) sum += predict(item, job).total;
  const double compute = job.t_compute * (config.shared_compute ? 1.0 : static_cast<double>(cases.size()));
  return fmt::format("time: about {:.0f} s\n", config.samples * (sum + compute) + sum);
}

// Describes the duration of the compute only, because the times of the all-reduces are unknown. Counts passes
// as describe_time() does.
std::string describe_compute_time(Config const& config, Workload const& workload,
                                  std::vector<Case> const& cases) {
  auto const& operations = workload.operation_seconds;
  if (operations.empty())
    return "time: not known before the run, because the input has no roofline ([machine] peak_flops and "
           "bandwidth)\n";
  const double pass = std::accumulate(operations.begin(), operations.end(), 0.0);
  const auto count = static_cast<double>(cases.size());
  const double alone = config.shared_compute ? 1.0 : count;
  const char* source = config.times.empty() ? "the roofline of [machine]" : "the table of times";
  return fmt::format(
      "time: at least {:.2g} s of compute, from {}, plus the all-reduces, whose time is not known before the "
      "run\n",
      pass * (config.samples * (count + alone) + count), source);
}

std::string describe_gate(GateParts const& gate) {
  std::string text;
  if (gate.operators) text += "  compute, whole and by kind of operator\n";
  if (gate.bucket) text += "  bucket: the host's cost of one bucket\n";
  for (double kib : gate.allreduce_kib)
    text += fmt::format("  allreduce/{}KiB: a real all-reduce alone, with two ranks or more\n", kib);
  return text.empty() ? "" : "parts of a step, timed by `sweep` for scripts/gate:\n" + text;
}

// Returns a line with the buffers in one kind of memory, or an empty text if all of them are small.
std::string largest_buffers(RankBuffers const& buffers, MemoryKind memory, std::string_view title) {
  constexpr double least = 0.005 * gib;  // a smaller part would be printed as 0.00 GiB
  std::vector<std::string> parts;
  for (std::size_t use = 0; use < std::size(buffer_names); ++use) {
    const double bytes = written_bytes(buffers, static_cast<BufferUse>(use), memory);
    if (bytes >= least) parts.push_back(fmt::format("{} {:.2f}", buffer_names[use], bytes / gib));
  }
  return parts.empty() ? "" : fmt::format("{}: {}\n", title, fmt::join(parts, ", "));
}

}  // namespace

std::string buckets_text(model::Plan const& plan) {
  std::int64_t largest = 0;
  for (auto const& bucket : plan) largest = std::max(largest, bucket.bytes);
  const double mib = static_cast<double>(largest) / model::bytes_per_mib;
  return fmt::format("bucket{}, the largest has {} MiB", plan.size() == 1 ? "" : "s",
                     mib < 10 ? fmt::format("{:.3g}", mib) : fmt::format("{:.1f}", mib));
}

std::string describe_memory(Config const& config, Workload const& workload, std::vector<Case> const& cases,
                            std::size_t scattered) {
  const int concurrency = config.threads > 0 ? config.threads : likely_concurrency();
  const auto buffers =
      pass_buffers(config, workload, concurrency, likely_ranks, scattered, memory_of_arrays(config));
  const MemoryNeed need = memory_need(config, buffers);
  const ComparisonMemory compared{written_bytes(buffers, BufferUse::precisions, MemoryKind::host),
                                  written_bytes(buffers, BufferUse::wire_formats, MemoryKind::host)};
  if (need.device) return describe_device_memory(config, need, compared) + describe_buffers(buffers);
  return describe_host_memory(config, need.host + results_memory(config, workload, cases, likely_ranks)) +
         describe_buffers(buffers);
}

std::string describe_buffers(RankBuffers const& buffers) {
  if (buffers.arrays == MemoryKind::host)
    return largest_buffers(buffers, MemoryKind::host, "  largest buffers (GiB)");
  return largest_buffers(buffers, MemoryKind::device, "  largest buffers in device memory (GiB)") +
         largest_buffers(buffers, MemoryKind::host, "  largest buffers in host memory (GiB)");
}

std::string describe_device_memory(Config const& config, MemoryNeed const& need, ComparisonMemory compared) {
  std::vector<std::string> uses;
  if (compared.precision > 0)
    uses.push_back(fmt::format("to compare the gradients of {} products with those of fp32",
                               word_of(config.precision, precision_words)));
  const double compares = std::max(compared.precision, compared.wire);
  if (need.host > compares) uses.emplace_back("to pass device memory to MPI");
  const auto text = fmt::format("memory: {:.2f} GiB of device memory for each rank\n", *need.device / gib);
  if (uses.empty()) return text;
  return text + fmt::format("host memory: {:.2f} GiB for each rank, {}\n", need.host / gib,
                            fmt::join(uses, " and "));
}

std::string describe_host_memory(Config const& config, double bytes) {
  return fmt::format("memory: {:.2f} GiB {}\n", bytes / gib,
                     needs_arena(config)
                         ? "for each rank"
                         : "on this machine, for the program itself, which only simulates the ranks");
}

std::string describe_ranks(Config const& config, int ranks) {
  if (config.ranks > 0) return fmt::format("ranks: {}, as [allreduce] ranks says\n", config.ranks);
  return fmt::format("ranks: {} are assumed, because a dry run starts none{}\n", ranks,
                     is_sharded(config)
                         ? "; `ddproxy memory INPUT --ranks N` predicts the memory in use for other numbers"
                         : "; with more ranks, rank 0 needs slightly more memory, for the results file");
}

std::string describe_model(Config const& config, Workload const& workload) {
  auto const& pass = workload.pass;
  return fmt::format("{}: {} gradients, {} elements, {:.1f} MiB\n",
                     config.model == "free" ? model_words(config.model) : "model " + config.model,
                     pass.gradients.size(), model::parameters(pass),
                     static_cast<double>(workload.bytes()) / model::bytes_per_mib);
}

std::string describe_layers_plan(Config const& config, Workload const& workload) {
  check_can_run(config);
  const std::string samples =
      config.compute == ComputeMode::replay
          ? "; their times are known, so nothing is measured"
          : fmt::format(", {} samples each, after one pass that is not measured", config.samples);
  return describe_model(config, workload) + describe_ranks(config, likely_ranks) +
         describe_memory(config, workload, {}) +
         fmt::format("{} operations of the backward pass{}\n", workload.pass.operations.size(), samples);
}

std::string describe_plan(Config const& config, Workload const& workload) {
  check_can_run(config);
  std::string text = describe_model(config, workload);
  text += fmt::format("step: batch {}, sequence {}; compute: {}, all-reduce: {}\n", config.tokens.batch,
                      config.tokens.sequence, word_of(config.compute, compute_mode_words),
                      word_of(config.backend, backend_words));
  text += describe_ranks(config, likely_ranks);
  auto cases = make_cases(config, workload);
  text += describe_memory(config, workload, cases);
  const auto job = input_job(config, workload);
  if (job)
    for (auto& item : cases) plan_optimal(item, *job, first_bucket_of(config));
  text += fmt::format("{} cases, {} samples each:\n", cases.size(), config.samples);
  for (auto const& item : cases) text += describe_case(item);
  text += describe_gate(config.gate);
  return text + (job ? describe_time(config, *job, cases) : describe_compute_time(config, workload, cases));
}

}  // namespace ddproxy
