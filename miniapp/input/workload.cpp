// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "miniapp/input/kernel_memory.hpp"
#include "miniapp/input/results_need.hpp"
#include "model/cost/csv.hpp"
#include "model/cost/layer_cost.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

constexpr double program_bytes =
    39e6;  // code, MPI, run-time libraries: 38e6 for one rank, 40e6 for the first of several
// Of the message that an in-place nonblocking reduction takes beside it, Open MPI 4.1, measured.
constexpr double mpi_temporaries = 1.5;

int element_bytes(Precision precision) {
  return precision == Precision::bf16 ? 2 : 4;
}

// One operation a layer: from a per-layer table, a gradient is ready at the end of its layer.
Workload per_layer(model::BackwardPass const& pass, std::vector<model::LayerTime> const& rows,
                   std::string const& file) {
  Workload workload;
  std::map<std::string, std::size_t> index;
  const auto is_known = [&](std::string const& layer) {
    return std::ranges::find(pass.operations, layer, &model::Operation::layer) != pass.operations.end();
  };
  for (auto const& row : rows) {
    if (!is_known(row.layer))
      throw std::invalid_argument(
          fmt::format("{}: the model has no layer '{}'", file, model::echo(row.layer)));
    index[row.layer] = workload.pass.operations.size();
    workload.pass.operations.push_back({row.layer, row.layer, model::OperationKind::linear});
    workload.operation_seconds.push_back(row.seconds);
  }
  for (auto gradient : pass.gradients) {
    const auto found = index.find(gradient.layer);
    if (found == index.end())
      throw std::invalid_argument(
          fmt::format("{}: no row for the layer '{}' of the model", file, gradient.layer));
    gradient.operation = found->second;
    workload.pass.gradients.push_back(gradient);
  }
  if (!std::ranges::is_sorted(workload.pass.gradients, {}, &model::Gradient::operation))
    throw std::invalid_argument(
        fmt::format("{}: rows must be in the order of the backward pass (ready order)", file));
  return workload;
}

// One operation a row, completing the gradient that the row names.
Workload per_gradient(model::BackwardPass const& pass, std::vector<model::GradientTime> const& rows,
                      std::string const& file) {
  Workload workload;
  for (auto const& row : rows) {
    const auto operation = workload.pass.operations.size();
    const auto next = workload.pass.gradients.size();
    if (row.numel > 0) {
      if (next == pass.gradients.size() || pass.gradients[next].name != row.name ||
          pass.gradients[next].numel != row.numel)
        throw std::invalid_argument(fmt::format(
            "{}: '{}' with {} elements is not the model's next gradient, {}", file, model::echo(row.name),
            row.numel,
            next == pass.gradients.size() ? "which has no more" : "'" + pass.gradients[next].name + "'"));
      workload.pass.gradients.push_back({row.name, pass.gradients[next].layer, row.numel, operation});
    }
    workload.pass.operations.push_back({row.name, row.name, model::OperationKind::linear});
    workload.operation_seconds.push_back(row.seconds);
  }
  if (workload.pass.gradients.size() != pass.gradients.size())
    throw std::invalid_argument(fmt::format("{}: has {} gradients, the model {}", file,
                                            workload.pass.gradients.size(), pass.gradients.size()));
  return workload;
}

Workload from_table(model::BackwardPass const& pass, std::filesystem::path const& file) {
  if (model::has_column(file, "numel"))
    return per_gradient(pass, model::read_gradient_times(file), file.string());
  return per_layer(pass, model::read_layer_times(file), file.string());
}

// What a reduction takes: with NCCL the packed message, at most that of one bucket of all gradients; with MPI
// that of the largest piece, and MPI's own memory.
double reduction_memory(Config const& config, double gradients, int ranks) {
  if (config.backend == Backend::nccl && config.wire != WireFormat::fp32)
    return gradients * wire_element_bytes(config.wire) / gradient_element_bytes;
  if (config.backend != Backend::mpi) return 0;
  const double piece = std::min(gradients, config.piece_mib * model::bytes_per_mib);
  const double message = piece * wire_element_bytes(config.wire) / gradient_element_bytes;
  return (config.wire == WireFormat::fp32 ? 0 : message) + (ranks > 1 ? mpi_temporaries * message : 0);
}

// The buffers of a step, and what the kernels need besides them.
double array_memory(Config const& config, Workload const& workload, int concurrency) {
  const auto buffers = static_cast<double>(step_elements(config, workload)) * gradient_element_bytes;
  if (config.compute != ComputeMode::kernels) return buffers;
  const KernelMemory kernels = kernel_memory(config.shape, config.tokens, concurrency);
  return buffers + static_cast<double>(kernels.total() - kernels.gradients);
}

Workload from_roofline(model::BackwardPass pass, Config const& config) {
  Workload workload{std::move(pass), {}, {}};
  const bool kernels = config.compute == ComputeMode::kernels;
  const int bytes = element_bytes(kernels ? Precision::fp32 : config.precision);  // the kernels store fp32
  if (config.machine.peak_flops > 0 && config.machine.bandwidth > 0)
    workload.operation_seconds =
        model::modelled_seconds(config.shape, workload.pass, config.tokens, config.machine, bytes);
  return workload;
}

}  // namespace

std::int64_t Workload::bytes() const {
  return std::accumulate(gradient_bytes.begin(), gradient_bytes.end(), std::int64_t{0});
}

Workload make_workload(Config const& config) {
  auto pass = model::backward_pass(config.shape);
  Workload workload =
      config.times.empty() ? from_roofline(std::move(pass), config) : from_table(pass, config.times);
  for (auto const& gradient : workload.pass.gradients)
    workload.gradient_bytes.push_back(gradient.numel * gradient_element_bytes);
  workload.wire = config.wire;
  return workload;
}

bool needs_arena(Config const& config) {
  return config.backend != Backend::replay || config.compute == ComputeMode::kernels;
}

std::size_t step_elements(Config const& config, Workload const& workload) {
  if (!needs_arena(config)) return 0;
  const auto gradients = static_cast<std::size_t>(workload.bytes()) / gradient_element_bytes;
  const bool copies = config.copies != model::CopyMode::none && config.compute == ComputeMode::kernels;
  return copies ? 2 * gradients : gradients;
}

double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks) {
  return program_bytes + reduction_memory(config, static_cast<double>(workload.bytes()), ranks) +
         array_memory(config, workload, concurrency) + results_memory(config, workload, ranks);
}

double device_memory_need(Config const& config, Workload const& workload, int concurrency) {
  const bool by_device = config.backend == Backend::nccl;  // MPI's temporaries are the host's
  return array_memory(config, workload, concurrency) +
         (by_device ? reduction_memory(config, static_cast<double>(workload.bytes()), 1) : 0);
}

std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds) {
  std::vector<double> ends(operation_seconds.size());
  std::partial_sum(operation_seconds.begin(), operation_seconds.end(), ends.begin());
  std::vector<double> ready;
  for (auto const& gradient : pass.gradients) ready.push_back(ends.at(gradient.operation));
  return ready;
}

std::optional<model::TableCost> input_cost(Config const& config) {
  if (config.table.empty()) return std::nullopt;
  const auto table = model::read_allreduce(config.table, config.ranks);
  try {
    return model::TableCost(table);
  } catch (std::invalid_argument const& error) {
    throw std::invalid_argument(fmt::format("{}: {}", config.table.string(), error.what()));
  }
}

}  // namespace ddproxy
