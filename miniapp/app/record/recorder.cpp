// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "model/statistics/quantile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "miniapp/input/words.hpp"
#include "miniapp/machine/build_info.hpp"
#include "model/cost/operation_work.hpp"

namespace ddproxy {
namespace {

Integers to_integers(Reals const& values) {
  return {values.begin(), values.end()};
}

// Returns the properties that a GPT-2 model does not have. The text is empty for a GPT-2 model. So the
// description of a GPT-2 model is the same as in older files, and `compare` finds no difference.
std::string describe_llama(model::Shape const& s) {
  std::string text;
  if (s.kv_heads != 0 && s.kv_heads != s.heads) text += fmt::format(" kv_heads {}", s.kv_heads);
  if (s.positions == model::Positions::rope) text += fmt::format(" rope_theta {:g}", s.rope_theta);
  return text;
}

std::string describe(model::Shape const& s) {
  return fmt::format(
             "layers {} d_model {} heads {} d_ff {} vocabulary {} context {} tied {} biases {} activation {} "
             "norm "
             "{} positions {} qkv {}",
             s.layers, s.d_model, s.heads, s.d_ff, s.vocabulary, s.context, s.tied, s.biases,
             word_of(s.activation, activation_words), word_of(s.norm, norm_words),
             word_of(s.positions, positions_words), word_of(s.qkv, qkv_words)) +
         describe_llama(s);
}

}  // namespace

Recorder::Recorder(Options const& options, Config const& config) : writer_(options.output) {
  writer_.attribute("/", "ddproxy_version", version);
  writer_.attribute("/", "command", options.command);
  if (!options.label.empty()) writer_.attribute("/", "label", options.label);
  writer_.write("/provenance/command_line", Texts{options.command_line});
  writer_.write("/provenance/input", Texts{config.text});
  if (config.tables.empty()) return;
  writer_.write("/provenance/table_file", column<Texts>(config.tables, &NamedTable::file));
  writer_.write("/provenance/table_hash", column<Texts>(config.tables, &NamedTable::hash));
}

void Recorder::resumed(EarlierRounds const& earlier) {
  if (earlier.rounds == 0) return;
  writer_.attribute("/", "resumed_from", earlier.run_id);
  writer_.attribute("/", "rounds_before", std::int64_t{earlier.rounds});
}

void Recorder::provenance(Provenance const& provenance) {
  for (auto const& [name, value] : provenance.attributes) writer_.attribute("/provenance", name, value);
  writer_.write("/provenance/environment", provenance.environment);
  writer_.write("/provenance/host", provenance.host);
  writer_.write("/provenance/device", provenance.device);
  writer_.write("/provenance/uuid", provenance.uuid);
  writer_.write("/provenance/binding", provenance.binding);
  writer_.write("/provenance/numa_node", to_integers(provenance.numa_node));
  writer_.write("/provenance/pci_bus", provenance.pci_bus);
  writer_.write("/provenance/device_numa_node", to_integers(provenance.device_numa_node));
  writer_.write("/provenance/clock", provenance.clock_hz);
  writer_.write("/provenance/memory_clock", provenance.memory_clock_hz);
  if (auto const& visible = provenance.visible; !visible.count.empty()) {
    writer_.write("/provenance/visible_devices", visible.variable);
    writer_.write("/provenance/device_count", to_integers(visible.count));
    writer_.write("/provenance/peers", visible.peers);
    writer_.write("/provenance/context_memory", provenance.context_memory);
    writer_.write("/provenance/blas_memory", provenance.blas_memory);
    writer_.write("/provenance/nccl_memory", provenance.nccl_memory);
  }
  if (!provenance.threads.threads.empty()) {
    writer_.write("/provenance/rank_threads", to_integers(provenance.threads.threads));
    writer_.write("/provenance/own_cores", to_integers(provenance.threads.own_cores));
  }
}

void Recorder::model(Config const& config, Workload const& workload) {
  auto const& gradients = workload.pass.gradients;
  writer_.attribute("/model", "preset", config.model);
  writer_.attribute("/model", "shape", describe(config.shape));
  writer_.attribute("/model", "parameters", model::parameters(workload.pass));
  writer_.attribute("/model", "precision", std::string(word_of(config.precision, precision_words)));
  writer_.attribute("/model", "batch", config.tokens.batch);
  writer_.attribute("/model", "sequence", config.tokens.sequence);
  writer_.write("/model/name", column<Texts>(gradients, &model::Gradient::name));
  writer_.write("/model/layer", column<Texts>(gradients, &model::Gradient::layer));
  writer_.write("/model/numel", column<Integers>(gradients, &model::Gradient::numel));
  writer_.write("/model/operation", column<Integers>(gradients, &model::Gradient::operation));
}

void Recorder::layers(Config const& config, Workload const& workload, OperationTimes const& times) {
  auto const& operations = workload.pass.operations;
  writer_.write("/layers/operation", column<Texts>(operations, &model::Operation::name));
  writer_.write("/layers/operation_layer", column<Texts>(operations, &model::Operation::layer));
  write_passes(writer_, "", times);
  if (config.times.empty()) {
    const auto work = column<std::vector<model::Work>>(operations, [&](auto const& operation) {
      return model::backward_work(config.shape, operation, config.tokens, gradient_element_bytes);
    });
    writer_.write("/layers/flops", column<Reals>(work, &model::Work::flops));
    writer_.write("/layers/bytes", column<Reals>(work, &model::Work::bytes));
    if (!workload.operation_seconds.empty()) writer_.write("/layers/modelled", workload.operation_seconds);
  }
}

void Recorder::ready_times(ReadyTimes const& ready) {
  writer_.write("/layers/ready", ready.ready);
}

void Recorder::allreduce(std::vector<SizeTimes> const& times, int ranks) {
  const auto [seconds, extents] = matrix(times, &SizeTimes::seconds);
  writer_.attribute("/allreduce", "ranks", std::int64_t{ranks});
  writer_.write("/allreduce/bytes", column<Integers>(times, &SizeTimes::bytes));
  writer_.write("/allreduce/seconds", seconds, extents);
  writer_.write("/allreduce/wrong_elements", column<Integers>(times, &SizeTimes::wrong));
  write_probes(writer_, "/allreduce/", column<std::vector<model::Probes>>(times, &SizeTimes::probes),
               extents[1]);
}

void Recorder::allreduce_figures(std::vector<SizeTimes> const& times, int ranks) {
  const auto medians = column<Reals>(times, [](auto& size) { return model::median(size.seconds); });
  const auto bandwidths = column<Reals>(times, [](auto& size) { return algorithm_bandwidth(size) / 1e9; });
  writer_.write("/allreduce/median", medians);
  writer_.write("/allreduce/p99",
                column<Reals>(times, [](auto& size) { return model::quantile(size.seconds, 0.99); }));
  writer_.write("/allreduce/algbw", bandwidths);
  writer_.write("/allreduce/busbw",
                column<Reals>(times, [&](auto& size) { return bus_bandwidth(size, ranks) / 1e9; }));
}

void Recorder::pieces(std::vector<SizeTimes> const& times, std::int64_t total) {
  const auto [seconds, extents] = matrix(times, &SizeTimes::seconds);
  writer_.attribute("/allreduce", "total_bytes", total);
  writer_.write("/allreduce/piece_bytes", column<Integers>(times, &SizeTimes::bytes));
  writer_.write("/allreduce/piece_seconds", seconds, extents);
}

void Recorder::cost_table(std::vector<model::CostPoint> const& table) {
  writer_.write("/allreduce/table_bytes", column<Integers>(table, &model::CostPoint::bytes));
  writer_.write("/allreduce/table_seconds", column<Reals>(table, &model::CostPoint::seconds));
}

void Recorder::memory(std::vector<double> const& peaks, double need) {
  writer_.write("/provenance/peak_memory", to_integers(peaks));
  writer_.write("/provenance/memory_need", to_integers(Reals(peaks.size(), need)));
}

void Recorder::precision_memory(double bytes) {
  writer_.write("/provenance/precision_memory", to_integers({bytes}));
}

}  // namespace ddproxy
