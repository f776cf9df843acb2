// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "model/cost/csv.hpp"
#include "model/cost/operation_work.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

// Returns the bytes of an element in the roofline. Kernels store fp32, whatever the precision of their
// products. With replayed compute, bf16 is also the type of the stored elements.
int element_bytes(Config const& config) {
  return config.compute == ComputeMode::replay && config.precision == Precision::bf16 ? 2 : 4;
}

bool has_roofline(Config const& config) {
  return config.machine.peak_flops > 0 && config.machine.bandwidth > 0;
}

// Builds a workload with one operator for each layer. Each gradient is ready at the end of its layer.
Workload per_layer(model::BackwardPass const& pass, std::vector<model::LayerTime> const& rows,
                   std::string const& file) {
  Workload workload;
  std::map<std::string, std::size_t> index;
  const auto is_known = [&](std::string const& layer) {
    return std::ranges::find(pass.operations, layer, &model::Operation::layer) != pass.operations.end();
  };
  for (auto const& row : rows) {
    if (!is_known(row.layer))
      throw std::invalid_argument(fmt::format("{}: the model has no layer '{}'; give a table of this model",
                                              file, model::echo(row.layer)));
    index[row.layer] = workload.pass.operations.size();
    workload.pass.operations.push_back({row.layer, row.layer, model::OperationKind::linear});
    workload.operation_seconds.push_back(row.seconds);
  }
  for (auto gradient : pass.gradients) {
    const auto found = index.find(gradient.layer);
    if (found == index.end())
      throw std::invalid_argument(
          fmt::format("{}: there is no row for the layer '{}' of the model; add one", file, gradient.layer));
    gradient.operation = found->second;
    workload.pass.gradients.push_back(gradient);
  }
  if (!std::ranges::is_sorted(workload.pass.gradients, {}, &model::Gradient::operation))
    throw std::invalid_argument(
        fmt::format("{}: the rows are not in the order of the backward pass (ready order); sort them", file));
  return workload;
}

// Builds a workload with one operator for each row. The operator completes the gradient that the row names; a
// row with 0 elements completes none.
Workload per_gradient(model::BackwardPass const& pass, std::vector<model::GradientTime> const& rows,
                      std::string const& file) {
  Workload workload;
  for (auto const& row : rows) {
    const auto operation = workload.pass.operations.size();
    const auto next = workload.pass.gradients.size();
    if (row.numel > 0) {
      if (next == pass.gradients.size() || pass.gradients[next].name != row.name ||
          pass.gradients[next].numel != row.numel)
        throw std::invalid_argument(
            fmt::format("{}: '{}' with {} elements does not fit the model: {}; give a table of this model",
                        file, model::echo(row.name), row.numel,
                        next == pass.gradients.size()
                            ? "earlier rows already contain all gradients of the model"
                            : fmt::format("the model's next gradient in ready order is '{}' with {} elements",
                                          pass.gradients[next].name, pass.gradients[next].numel)));
      workload.pass.gradients.push_back({row.name, pass.gradients[next].layer, row.numel, operation});
    }
    workload.pass.operations.push_back({row.name, row.name, model::OperationKind::linear});
    workload.operation_seconds.push_back(row.seconds);
  }
  if (workload.pass.gradients.size() != pass.gradients.size())
    throw std::invalid_argument(
        fmt::format("{}: the table and the model differ in the number of gradients ({} and {}); give a table "
                    "of this model",
                    file, workload.pass.gradients.size(), pass.gradients.size()));
  return workload;
}

Workload from_table(model::BackwardPass const& pass, std::filesystem::path const& file) {
  if (model::has_column(file, "numel"))
    return per_gradient(pass, model::read_gradient_times(file), file.string());
  return per_layer(pass, model::read_layer_times(file), file.string());
}

Workload from_roofline(model::BackwardPass pass, Config const& config) {
  Workload workload{std::move(pass), {}, {}};
  if (has_roofline(config))
    workload.operation_seconds = model::modelled_seconds(config.shape, workload.pass, config.tokens,
                                                         config.machine, element_bytes(config));
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
  workload.gradient_bytes = workload.pass.gradients.bytes();
  workload.wire = config.wire;
  return workload;
}

std::optional<model::PhaseCosts> roofline_phases(Config const& config, model::BackwardPass const& pass,
                                                 bool clipped) {
  if (!has_roofline(config) || !config.times.empty()) return std::nullopt;
  return model::modelled_phases(config.shape, pass, config.tokens, config.machine, element_bytes(config),
                                clipped);
}

std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds) {
  std::vector<double> ends(operation_seconds.size());
  std::partial_sum(operation_seconds.begin(), operation_seconds.end(), ends.begin());
  std::vector<double> ready;
  for (auto const& gradient : pass.gradients) ready.push_back(ends.at(gradient.operation));
  return ready;
}

std::vector<std::size_t> contention_operations(Workload const& workload) {
  std::vector<std::size_t> chosen;
  auto const& operations = workload.pass.operations;
  for (std::size_t op = 0; op < operations.size(); ++op) {
    if (operations[op].kind != model::OperationKind::linear) continue;
    if (!chosen.empty() && operations[op].layer != operations[chosen.front()].layer) break;
    chosen.push_back(op);
  }
  return chosen;
}

std::optional<model::TableCost> input_cost(Config const& config) {
  if (config.table.empty()) return std::nullopt;
  const auto table = model::read_allreduce(config.table, config.ranks, config.ranks_per_node);
  try {
    return model::TableCost(table);
  } catch (std::invalid_argument const& error) {
    throw std::invalid_argument(fmt::format("{}: {}", config.table.string(), error.what()));
  }
}

}  // namespace ddproxy
