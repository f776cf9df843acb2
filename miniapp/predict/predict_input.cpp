// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/predict_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/input/words.hpp"
#include "model/cost/csv.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

void add_operation(Workload& workload, std::string const& name, std::int64_t numel, double seconds) {
  if (numel > 0) workload.pass.gradients.push_back({name, name, numel, workload.pass.operations.size()});
  workload.pass.operations.push_back({name, name, model::OperationKind::linear});
  workload.operation_seconds.push_back(seconds);
}

template <class Row>
std::vector<Row> in_ready_order(std::vector<Row> rows, bool forward) {
  if (forward) std::ranges::reverse(rows);
  return rows;
}

Workload from_gradients(PredictOptions const& options) {
  Workload workload;
  for (auto const& row : in_ready_order(model::read_gradient_times(options.gradients), options.forward_order))
    add_operation(workload, row.name, row.numel, row.seconds);
  return workload;
}

// The gradient of a layer is ready when the layer has ended. A layer without a size completes no gradient.
Workload from_layers(PredictOptions const& options) {
  std::map<std::string, std::int64_t> numel;
  for (auto const& row : model::read_layer_sizes(options.layer_sizes)) numel[row.layer] = row.numel;
  Workload workload;
  for (auto const& row :
       in_ready_order(model::read_layer_times(options.layer_times), options.forward_order)) {
    add_operation(workload, row.layer, numel.contains(row.layer) ? numel[row.layer] : 0, row.seconds);
    numel.erase(row.layer);
  }
  if (!numel.empty())
    throw std::invalid_argument(fmt::format("{}: there is no row for the layer '{}' of {}; add one",
                                            options.layer_times.string(), model::echo(numel.begin()->first),
                                            options.layer_sizes.string()));
  return workload;
}

// Sets the precision and its peak flop/s. Returns a warning, or an empty string if there is none.
std::string set_precision(Config& config, std::string const& word) {
  const Precision precision = *find_word(word, precision_words);
  if (precision == config.precision) return "";
  if (!config.times.empty())
    throw std::invalid_argument("--precision: " + config.times.string() +
                                " has times of one precision, which cannot be converted; remove this option");
  const auto peak = config.peaks.find(precision);
  if (peak == config.peaks.end())
    throw std::invalid_argument(fmt::format("--precision {}: {} lacks [machine] peak_flops_{}; add it", word,
                                            config.file.string(), word));
  const auto fitted = word_of(config.precision, precision_words);
  config.precision = precision;
  config.machine.peak_flops = peak->second;
  if (config.machine.efficiency == 1) return "";
  return fmt::format(
      "--precision {}: the efficiency {:g} was given for {}; the efficiency of {} may differ, so the "
      "predicted times are less certain",
      word, config.machine.efficiency, fitted, word);
}

PredictInput from_input_file(Options const& options) {
  PredictInput input;
  input.config = read_config(options.input);
  if (!options.predict.precision.empty()) {
    auto warning = set_precision(input.config, options.predict.precision);
    if (!warning.empty()) input.warnings.push_back(std::move(warning));
  }
  input.workload = make_workload(input.config);
  if (input.workload.operation_seconds.empty())
    throw std::invalid_argument(fmt::format(
        "{0}: [compute] mode is \"kernels\", but predict runs no kernels, so it has no times of compute. "
        "Either add a roofline to the input ([machine] peak_flops and bandwidth), and give all-reduce times "
        "with --allreduce FILE; or measure both: 'mpirun -n RANKS ddproxy run {0} -o F.h5', then 'ddproxy "
        "predict --gradients F.gradients.csv --allreduce F.allreduce.csv'",
        input.config.file.string()));
  input.name = input.config.model;
  return input;
}

// Rejects gradients with more than 1e17 elements, so that the number of their bytes fits into 64 bits.
void check_total(Workload const& workload, std::filesystem::path const& file) {
  constexpr double most = 1e17;
  double total = 0;
  for (auto const& gradient : workload.pass.gradients) total += static_cast<double>(gradient.numel);
  if (total <= most) return;
  throw std::invalid_argument(
      fmt::format("{}: the gradients have {:.3g} elements together, more than {:g}; check the column numel",
                  file.string(), total, most));
}

PredictInput from_tables(PredictOptions const& options) {
  const bool gradients = !options.gradients.empty();
  if (!gradients && options.layer_sizes.empty())
    throw std::invalid_argument(
        "predict: give an input file, or --allreduce FILE together with --gradients F, or with --layer-sizes "
        "F and --layer-times F");
  if (!options.precision.empty())
    throw std::invalid_argument(
        "--precision: the tables have times of one precision, which cannot be converted; remove this option, "
        "or give an input file with a roofline");
  const auto& file = gradients ? options.gradients : options.layer_sizes;
  PredictInput input{
      file.filename().string(), {}, gradients ? from_gradients(options) : from_layers(options), {}, {}};
  if (input.workload.pass.gradients.empty())
    throw std::invalid_argument(file.string() +
                                ": every numel is 0, so there is no gradient; give the number of elements of "
                                "each gradient");
  check_total(input.workload, file);
  input.workload.gradient_bytes = input.workload.pass.gradients.bytes();
  input.config.caps_mib = default_caps_mib;
  return input;
}

double share(char const* name, double value) {
  if (value > 0 && value <= 1) return value;
  throw std::invalid_argument(fmt::format("{} {}: give a number above 0 and at most 1", name, value));
}

// Returns the contention as a function of the bytes of gradients in memory, because the model counts these
// bytes. The sizes in the file are bytes on the wire, as in tables of a(x).
model::Contention read_contention(PredictOptions const& options, WireFormat wire) {
  if (!options.contention.empty()) {
    auto table = model::read_contention(options.contention);
    for (auto& point : table) point.bytes *= gradient_element_bytes / wire_element_bytes(wire);
    return model::Contention(std::move(table));
  }
  return {share("--kappa", options.kappa), share("--gamma", options.gamma)};
}

model::Copies read_copies(PredictOptions const& options, Config const& config) {
  const auto mode = options.copies.empty() ? config.copies : *find_word(options.copies, copy_words);
  if (mode == model::CopyMode::none) {
    if (options.copy_bandwidth_GBps > 0)
      throw std::invalid_argument(
          "--copy-bandwidth: nothing is copied; give --copies in or in+out, or remove --copy-bandwidth");
    return {};
  }
  // a copy reads and writes each byte, so it runs at half the bandwidth of the memory
  const double bandwidth =
      options.copy_bandwidth_GBps > 0 ? options.copy_bandwidth_GBps * 1e9 : config.machine.bandwidth / 2;
  if (bandwidth <= 0)
    throw std::invalid_argument(
        "copies: the speed of a copy is not known. Give --copy-bandwidth GBps, or [machine] bandwidth");
  return {mode, bandwidth, 0};
}

}  // namespace

model::Job PredictInput::job(model::AllreduceCost cost) const {
  auto const& seconds = workload.operation_seconds;
  return {ready_times(workload.pass, seconds),
          std::accumulate(seconds.begin(), seconds.end(), 0.0),
          workload.gradient_bytes,
          of_gradients(std::move(cost), workload.wire),
          contention,
          copies};
}

PredictInput read_predict_input(Options const& options) {
  auto const& predict = options.predict;
  PredictInput input = options.input.empty() ? from_tables(predict) : from_input_file(options);
  auto& config = input.config;
  if (!predict.wire.empty()) config.wire = *find_word(predict.wire, wire_words);
  input.workload.wire = config.wire;
  config.strategies.assign(model::strategies().begin(), model::strategies().end());
  if (!predict.caps_mib.empty()) config.caps_mib = predict.caps_mib;
  if (predict.first_bucket_mib > 0) config.first_bucket_mib = predict.first_bucket_mib;
  input.contention = read_contention(predict, config.wire);
  input.copies = read_copies(predict, config);
  const double t_compute = input.job({}).t_compute;
  if (!(t_compute > 0))
    throw std::invalid_argument("predict: the seconds of the pass are all 0; check the column seconds");
  if (!std::isfinite(t_compute))
    throw std::invalid_argument(
        "predict: the seconds of the pass are too large to add up; check the unit of the column seconds");
  return input;
}

}  // namespace ddproxy
