// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/memory_need.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/input/engine_memory.hpp"
#include "miniapp/input/step_memory.hpp"

namespace ddproxy {
namespace {

constexpr double program_bytes =
    39e6;  // bytes of code, MPI and run-time libraries: 38e6 for one rank, 40e6 for the first of several

// Returns the calls of a lane whose largest call reduces all gradients. `scattered` is
// MostElements::scattered.
LaneCalls calls_on_gradients(Workload const& workload, int ranks, std::size_t scattered = 0) {
  return {{.of_call = workload.pass.gradients.elements(), .scattered = scattered}, ranks};
}

// Returns the lanes of a backward pass: the lane of its reductions, unless they are replayed, and the lane
// for the gate's all-reduces.
std::vector<LaneCalls> pass_lanes(Config const& config, Workload const& workload, int ranks,
                                  std::size_t scattered) {
  std::vector<LaneCalls> lanes;
  if (config.backend != Backend::replay) lanes.push_back(calls_on_gradients(workload, ranks, scattered));
  if (const auto elements = gate_elements(config, ranks)) lanes.push_back({{.of_call = elements}, ranks});
  return lanes;
}

// Returns the input with the backend that carries out the calls of pass_lanes(). If the reductions are
// replayed, MPI carries out the gate's all-reduces.
Config with_pass_backend(Config config) {
  if (config.backend == Backend::replay) config.backend = Backend::mpi;
  return config;
}

// Returns engine_memory() of the lanes of a backward pass.
double pass_engine_memory(Config const& config, Workload const& workload, int ranks,
                          std::size_t scattered = 0, double between_calls = 0) {
  return engine_memory(with_pass_backend(config), pass_lanes(config, workload, ranks, scattered),
                       between_calls);
}

double gate_bytes(Config const& config, int ranks) {
  return static_cast<double>(gate_elements(config, ranks)) * gradient_element_bytes;
}

// Returns the bytes of device memory that matrix products take: those of the library, and the copies of
// operands in bf16.
double product_memory(Config const& config) {
  if (config.compute != ComputeMode::kernels) return 0;
  if (config.precision != Precision::bf16) return blas_device_memory;
  return blas_device_memory + static_cast<double>(rounded_operands_bytes(config.shape, config.tokens));
}

// Returns the bytes of device memory that matrix products and NCCL take in addition to the arrays.
double library_memory(Config const& config) {
  return product_memory(config) + (config.backend == Backend::nccl ? nccl_device_memory : 0);
}

// Returns kernel_memory() of an input. An error names the file and the section.
double kernel_memory_of(Config const& config, int concurrency) try {
  return static_cast<double>(kernel_memory(config.shape, config.tokens, concurrency).total());
} catch (std::invalid_argument const& error) {
  throw std::invalid_argument(config.file.string() + ": [model] " + error.what());
}

// Returns the bytes of the buffers of a step, and of the memory that the kernels need in addition.
double array_memory(Config const& config, Workload const& workload, int concurrency) {
  const auto buffers = static_cast<double>(step_elements(config, workload)) * gradient_element_bytes;
  if (config.compute != ComputeMode::kernels) return buffers;
  return buffers + kernel_memory_of(config, concurrency);
}

// Returns the bytes of the buffers of whole steps, and of the memory that the kernels need in addition.
double step_array_memory(Config const& config, std::size_t elements, int concurrency) {
  std::int64_t work = 0;
  if (config.compute == ComputeMode::kernels)
    work = padded_elements(work_buffers(config.shape, config.tokens, concurrency)) +
           padded_elements(result_buffers(config.step.accumulation)) +
           config.step.accumulation * token_elements(config.tokens);
  return (static_cast<double>(elements) + static_cast<double>(work)) * gradient_element_bytes;
}

model::BufferKind reduced_kind(Config const& config) {
  return config.copies == model::CopyMode::none ? model::BufferKind::gradient : model::BufferKind::bucket;
}

// Returns for each buffer of `graph` whether the operators of contention runs leave it unused. While these
// operators run, collectives may work on such buffers.
std::vector<bool> unused_by_contention_runs(Workload const& workload, model::StepGraph const& graph) {
  std::vector<bool> unused(graph.buffers.size(), true);
  const auto operations = contention_operations(workload);
  for (auto const& task : graph.tasks) {
    auto const* compute = std::get_if<model::Compute>(&task.work);
    if (!compute || compute->phase != model::Phase::backward) continue;
    if (std::ranges::find(operations, model::index(compute->op)) == operations.end()) continue;
    for (auto const& access : task.accesses) unused[model::index(access.buffer)] = false;
  }
  return unused;
}

}  // namespace

double need_with_results_file(MemoryNeed const& need, double file_need) {
  return need.device.value_or(need.host + file_need);
}

bool needs_arena(Config const& config) {
  return config.backend != Backend::replay || config.compute == ComputeMode::kernels;
}

bool needs_device_memory(Config const& config) {
  return builds_for_device() && needs_arena(config);
}

bool copies_for_real(Config const& config) {
  return config.compute == ComputeMode::kernels && config.copies != model::CopyMode::none;
}

std::size_t step_elements(Config const& config, Workload const& workload) {
  if (!needs_arena(config)) return 0;
  const std::size_t gradients = workload.pass.gradients.elements();
  return copies_for_real(config) ? 2 * gradients : gradients;
}

std::size_t gate_elements(double kib) {
  return static_cast<std::size_t>(std::max(1.0, kib * 1024 / gradient_element_bytes));
}

std::size_t gate_elements(Config const& config, int ranks) {
  auto const& sizes = config.gate.allreduce_kib;
  return ranks > 1 && !sizes.empty() ? gate_elements(std::ranges::max(sizes)) : 0;
}

double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks,
                        std::size_t scattered) {
  const double compared = wire_error_memory(config);
  return program_bytes + pass_engine_memory(config, workload, ranks, scattered, compared) +
         gate_bytes(config, ranks) + array_memory(config, workload, concurrency);
}

double device_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks) {
  const bool by_device = config.backend == Backend::nccl;  // the buffers of MPI are in host memory
  return library_memory(config) + array_memory(config, workload, concurrency) + gate_bytes(config, ranks) +
         (by_device ? pass_engine_memory(config, workload, ranks) : 0);
}

double host_memory_beside_device(Config const& config, Workload const& workload, int ranks,
                                 std::size_t scattered) {
  const Config with_backend = with_pass_backend(config);
  const auto lanes = pass_lanes(config, workload, ranks, scattered);
  return std::max(precision_memory(config, workload) + staged_memory(with_backend, lanes),
                  staged_memory(with_backend, lanes, wire_error_memory(config)));
}

MemoryNeed pass_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks,
                            std::size_t scattered) {
  if (!needs_device_memory(config))
    return {host_memory_need(config, workload, concurrency, ranks, scattered), std::nullopt};
  return {host_memory_beside_device(config, workload, ranks, scattered),
          device_memory_need(config, workload, concurrency, ranks)};
}

StepPlaces step_places(Config const& config, Workload const& workload, model::StepGraph const& graph) {
  if (!is_sharded(config)) return place_buffers(graph, reduced_kind(config));
  if (config.compute == ComputeMode::replay) return place_buffers(graph, communicated_buffers(graph));
  return place_buffers(graph, unused_by_contention_runs(workload, graph));
}

std::size_t allocated_elements(Config const& config, Workload const& workload, StepPlaces const& places) {
  if (config.compute == ComputeMode::kernels) return places.elements;
  return is_sharded(config) && needs_arena(config) ? places.leading : step_elements(config, workload);
}

std::vector<LaneCalls> step_lanes(Config const& config, Workload const& workload, StepPlaces const& places,
                                  model::RankGraphs const& step, model::StepGraph const& graph) {
  int ranks = 0;
  for (auto const& ranks_of_class : step.classes) ranks += static_cast<int>(ranks_of_class.ranks.size());
  LaneCalls calibrated = calls_on_gradients(workload, ranks);
  if (!is_sharded(config)) return {calibrated};
  // With bf16 on the wire, a lane of NCCL allocates a message as large as its largest call. In the
  // calibration this call has all leading elements. With MPI the calls of the calibration can be as large,
  // too. But with MPI a prediction that counts only the gradients fits the measured peaks of memory better
  // (docs/measurements/rooms.md).
  if (config.backend == Backend::nccl) calibrated.most.of_call = places.leading;
  auto lanes = lane_calls(step, graph);
  lanes.insert(lanes.begin(), calibrated);
  return lanes;
}

double step_host_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                      int concurrency) {
  return program_bytes + engine_memory(config, lanes) + step_array_memory(config, elements, concurrency);
}

double step_device_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                        int concurrency) {
  return library_memory(config) + step_array_memory(config, elements, concurrency) +
         (config.backend == Backend::nccl ? engine_memory(config, lanes) : 0);
}

double step_host_memory_beside_device(Config const& config, std::vector<LaneCalls> const& lanes) {
  return staged_memory(config, lanes);
}

MemoryNeed step_memory_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                            int concurrency) {
  if (!needs_device_memory(config))
    return {step_host_need(config, elements, lanes, concurrency), std::nullopt};
  return {step_host_memory_beside_device(config, lanes),
          step_device_need(config, elements, lanes, concurrency)};
}

}  // namespace ddproxy
