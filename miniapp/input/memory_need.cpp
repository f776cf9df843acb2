// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/memory_need.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/input/step_memory.hpp"

namespace ddproxy {
namespace {

constexpr double program_bytes =
    39e6;  // bytes of code, MPI and run-time libraries: 38e6 for one rank, 40e6 for the first of several
// Memory that Open MPI 4.1 allocates for an in-place nonblocking reduction, divided by the bytes of the
// message. The number was measured.
constexpr double mpi_temporaries = 1.5;
// Largest number of freed bytes that the heap of a thread keeps (miniapp/machine/freed_memory.hpp).
constexpr double kept_by_heap = 64 << 20;

double bytes_of(EngineBuffers const& buffers) {
  return static_cast<double>(buffers.rounded) * wire_element_bytes(WireFormat::bf16) +
         static_cast<double>(buffers.results) * gradient_element_bytes;
}

// Returns the bytes of the buffers of the MPI engine that its calls write. Memory takes no room before it is
// written, and no call writes more elements than it has.
double written_bytes(EngineBuffers const& buffers, MostElements const& most) {
  return bytes_of({std::min(buffers.rounded, most.of_call), std::min(buffers.results, most.scattered)});
}

// Returns the bytes that MPI allocates during the largest call. The main thread and the communication thread
// both carry out calls. While one of them does, the heap of the other one still keeps up to kept_by_heap
// bytes that MPI has freed.
double memory_in_mpi(Config const& config, LaneCalls const& lane) {
  if (lane.ranks < 2) return 0;
  const auto piece = static_cast<double>(std::min(lane.most.of_call, piece_elements(config)));
  const double temporaries = mpi_temporaries * piece * wire_element_bytes(config.wire);
  return temporaries + std::min(temporaries, kept_by_heap);
}

// Returns the bytes that collectives need in addition to the buffers of the step: the buffers of the engines
// of all lanes, and the largest memory that MPI allocates for one of them.
double engine_memory(Config const& config, std::vector<LaneCalls> const& lanes) {
  double buffers = 0, in_mpi = 0;
  for (auto const& lane : lanes) {
    if (config.backend == Backend::nccl) buffers += bytes_of(buffers_of_nccl(config.wire, lane.most));
    if (config.backend != Backend::mpi) continue;
    buffers += written_bytes(buffers_of_mpi(config.wire, piece_elements(config), lane.ranks), lane.most);
    in_mpi = std::max(in_mpi, memory_in_mpi(config, lane));
  }
  return buffers + in_mpi;
}

// Returns the calls of a lane that reduces all gradients at most. `scattered` is MostElements::scattered.
LaneCalls calls_on_gradients(Workload const& workload, int ranks, std::size_t scattered = 0) {
  const std::size_t all = static_cast<std::size_t>(workload.bytes()) / gradient_element_bytes;
  return {{.of_call = all, .scattered = scattered}, ranks};
}

// Returns engine_memory() of the lanes of a backward pass: the lane of its reductions, and the lane for the
// gate's all-reduces, which MPI carries out if the reductions are replayed.
double pass_engine_memory(Config config, Workload const& workload, int ranks, std::size_t scattered = 0) {
  std::vector<LaneCalls> lanes;
  if (config.backend != Backend::replay) lanes.push_back(calls_on_gradients(workload, ranks, scattered));
  if (const auto elements = gate_elements(config, ranks)) lanes.push_back({{.of_call = elements}, ranks});
  if (config.backend == Backend::replay) config.backend = Backend::mpi;
  return engine_memory(config, lanes);
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

// Returns the bytes of device memory that the libraries take for themselves, and the copies of operands.
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

// Returns the buffers that the operators of contention runs do not use. Collectives may work on them
// meanwhile.
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

bool needs_arena(Config const& config) {
  return config.backend != Backend::replay || config.compute == ComputeMode::kernels;
}

bool copies_for_real(Config const& config) {
  return config.compute == ComputeMode::kernels && config.copies != model::CopyMode::none;
}

std::size_t piece_elements(Config const& config) {
  return static_cast<std::size_t>(config.piece_mib * model::bytes_per_mib) / gradient_element_bytes;
}

std::size_t step_elements(Config const& config, Workload const& workload) {
  if (!needs_arena(config)) return 0;
  const auto gradients = static_cast<std::size_t>(workload.bytes()) / gradient_element_bytes;
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
  return program_bytes + pass_engine_memory(config, workload, ranks, scattered) + gate_bytes(config, ranks) +
         array_memory(config, workload, concurrency);
}

double device_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks) {
  const bool by_device = config.backend == Backend::nccl;  // the buffers of MPI are in host memory
  return library_memory(config) + array_memory(config, workload, concurrency) + gate_bytes(config, ranks) +
         (by_device ? pass_engine_memory(config, workload, ranks) : 0);
}

bool compares_precision(Config const& config) {
  return config.precision != Precision::fp32 && config.compute == ComputeMode::kernels;
}

PrecisionBuffers precision_buffers(Workload const& workload) {
  std::int64_t largest = 0;
  for (auto const& gradient : workload.pass.gradients) largest = std::max(largest, gradient.numel);
  return {static_cast<std::size_t>(workload.bytes()) / gradient_element_bytes,
          static_cast<std::size_t>(largest)};
}

double precision_memory(Config const& config, Workload const& workload) {
  return compares_precision(config) ? precision_buffers(workload).bytes() : 0;
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
  // A lane of NCCL allocates a message of this size. With MPI the calls of the calibration can be as large,
  // too, but counting all gradients fits the measured peaks better (docs/measurements/rooms.md).
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

}  // namespace ddproxy
