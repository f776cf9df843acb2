// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/buffer_list.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/input/wire_format.hpp"

namespace ddproxy {
namespace {

// Memory that Open MPI 4.1 allocates for an in-place nonblocking reduction, divided by the bytes of the
// message. The number was measured.
constexpr double mpi_temporaries = 1.5;

double bytes_of(std::size_t elements) {
  return static_cast<double>(elements) * gradient_element_bytes;
}

// Adds a row for a buffer of `elements` elements, unless it has none.
void add(RankBuffers& list, BufferUse use, MemoryKind memory, std::size_t elements) {
  if (elements > 0) list.rows.push_back({use, memory, bytes_of(elements)});
}

// Adds a row for a buffer of which `written` elements are written.
void add(RankBuffers& list, BufferUse use, MemoryKind memory, std::size_t elements, std::size_t written,
         int element_bytes) {
  const double of_element = element_bytes;
  if (elements > 0)
    list.rows.push_back({use, memory, static_cast<double>(elements) * of_element,
                         static_cast<double>(std::min(elements, written)) * of_element});
}

// Returns the bytes that MPI allocates during the largest call of a lane.
double allocated_in_call(Config const& config, LaneCalls const& lane) {
  if (lane.ranks < 2) return 0;
  const auto piece = static_cast<double>(std::min(lane.most.of_call, piece_elements(config)));
  return mpi_temporaries * piece * wire_element_bytes(config.wire);
}

// Adds the buffers of the engine of a lane on MPI. No call writes more elements than its own size. Pinned
// memory is provided when it is allocated, so it counts as a whole.
void add_mpi_lane(RankBuffers& list, Config const& config, LaneCalls const& lane) {
  const auto buffers_of = list.arrays == MemoryKind::device ? buffers_of_staged_mpi : buffers_of_mpi;
  const EngineBuffers buffers = buffers_of(config.wire, piece_elements(config), lane.ranks);
  constexpr auto host = MemoryKind::host;
  add(list, BufferUse::messages, host, buffers.rounded, lane.most.of_call,
      wire_element_bytes(WireFormat::bf16));
  add(list, BufferUse::collective_results, host, buffers.results, lane.most.scattered,
      gradient_element_bytes);
  add(list, BufferUse::slots, host, buffers.pinned);
  list.mpi_in_call = std::max(list.mpi_in_call, allocated_in_call(config, lane));
}

void add_nccl_lane(RankBuffers& list, Config const& config, LaneCalls const& lane) {
  const EngineBuffers buffers = buffers_of_nccl(config.wire, lane.most);
  add(list, BufferUse::messages, list.arrays, buffers.rounded, buffers.rounded,
      wire_element_bytes(WireFormat::bf16));
  add(list, BufferUse::collective_results, list.arrays, buffers.results);
}

// Adds the buffers of the engines of all lanes. Replayed collectives need none.
void add_lanes(RankBuffers& list, Config const& config, std::vector<LaneCalls> const& lanes) {
  const bool by_mpi = config.backend == Backend::mpi &&
                      (list.arrays == MemoryKind::host || config.buffers != Buffers::direct);
  for (auto const& lane : lanes) {
    if (by_mpi) add_mpi_lane(list, config, lane);
    if (config.backend == Backend::nccl) add_nccl_lane(list, config, lane);
  }
}

// Returns the calls of a lane whose largest call reduces all gradients. `scattered` is
// MostElements::scattered.
LaneCalls calls_on_gradients(Workload const& workload, int ranks, std::size_t scattered = 0) {
  return {{.of_call = workload.pass.gradients.elements(), .scattered = scattered}, ranks};
}

// Returns the elements that a rank allocates for the messages of the gate: those of the largest one. They
// share the memory. Returns 0 if there are none, or only one rank.
std::size_t largest_of_gate(Config const& config, int ranks) {
  auto const& sizes = config.gate.allreduce_kib;
  return ranks > 1 && !sizes.empty() ? gate_elements(std::ranges::max(sizes)) : 0;
}

// Adds the messages of the gate, and the buffers of the lanes of a backward pass: the lane of its reductions,
// unless they are replayed, and the lane for the gate's all-reduces. If the reductions are replayed, MPI
// carries out the gate's all-reduces.
void add_pass_lanes(RankBuffers& list, Config config, Workload const& workload, int ranks,
                    std::size_t scattered) {
  const auto of_gate = largest_of_gate(config, ranks);
  add(list, BufferUse::gate, list.arrays, of_gate);
  std::vector<LaneCalls> lanes;
  if (config.backend != Backend::replay) lanes.push_back(calls_on_gradients(workload, ranks, scattered));
  if (of_gate > 0) lanes.push_back({{.of_call = of_gate}, ranks});
  if (config.backend == Backend::replay) config.backend = Backend::mpi;
  add_lanes(list, config, lanes);
}

// Adds the arrays that compare gradients. On a host all products are in fp32, so no precisions are compared.
void add_comparisons(RankBuffers& list, Config const& config, Workload const& workload) {
  constexpr auto host = MemoryKind::host;
  if (list.arrays == MemoryKind::device && compares_precision(config))
    list.rows.push_back({BufferUse::precisions, host, precision_memory(config, workload)});
  if (compares_wire(config)) list.rows.push_back({BufferUse::wire_formats, host, wire_error_memory(config)});
}

// Adds the buffers that the kernels need in addition to those of the step. On a device, products in bf16 need
// copies of their operands.
void add_work(RankBuffers& list, Config const& config, int concurrency, int micro_batches) {
  const auto work = padded_elements(work_buffers(config.shape, config.tokens, concurrency));
  add(list, BufferUse::work, list.arrays, static_cast<std::size_t>(work));
  add(list, BufferUse::tokens, list.arrays,
      static_cast<std::size_t>(micro_batches * token_elements(config.tokens)));
  if (list.arrays == MemoryKind::device && config.precision == Precision::bf16)
    list.rows.push_back({BufferUse::operands, list.arrays,
                         static_cast<double>(rounded_operands_bytes(config.shape, config.tokens))});
}

// Checks that the kernels can compute the model. An error names the file and the section.
void check_kernels(Config const& config) try {
  check_kernels_have(config.shape, config.tokens);
} catch (std::invalid_argument const& error) {
  throw std::invalid_argument(config.file.string() + ": [model] " + error.what());
}

std::size_t gradient_elements(Config const& config, Workload const& workload) {
  if (!needs_arena(config)) return 0;
  const std::size_t gradients = workload.pass.gradients.elements();
  return copies_for_real(config) ? 2 * gradients : gradients;
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

std::size_t RankBuffers::elements(BufferUse use) const {
  double bytes = 0;
  for (auto const& row : rows)
    if (row.use == use) bytes += row.bytes;
  return static_cast<std::size_t>(bytes) / gradient_element_bytes;
}

bool needs_arena(Config const& config) {
  return config.backend != Backend::replay || config.compute == ComputeMode::kernels;
}

bool needs_device_memory(Config const& config) {
  return builds_for_device() && needs_arena(config);
}

MemoryKind memory_of_arrays(Config const& config) {
  return needs_device_memory(config) ? MemoryKind::device : MemoryKind::host;
}

bool copies_for_real(Config const& config) {
  return config.compute == ComputeMode::kernels && config.copies != model::CopyMode::none;
}

std::size_t gate_elements(double kib) {
  return static_cast<std::size_t>(std::max(1.0, kib * 1024 / gradient_element_bytes));
}

RankBuffers pass_buffers(Config const& config, Workload const& workload, int concurrency, int ranks,
                         std::size_t scattered, MemoryKind arrays) {
  RankBuffers list{.arrays = arrays};
  add(list, BufferUse::gradients, arrays, gradient_elements(config, workload));
  if (config.compute == ComputeMode::kernels) {
    check_kernels(config);
    const auto places = backward_places(config.shape, config.tokens);
    add(list, BufferUse::activations, arrays, places.elements - places.leading);
    add_work(list, config, concurrency, 1);
  }
  add_pass_lanes(list, config, workload, ranks, scattered);
  add_comparisons(list, config, workload);
  return list;
}

StepPlaces step_places(Config const& config, Workload const& workload, model::StepGraph const& graph) {
  if (!is_sharded(config)) return place_buffers(graph, reduced_kind(config));
  if (config.compute == ComputeMode::replay) return place_buffers(graph, communicated_buffers(graph));
  return place_buffers(graph, unused_by_contention_runs(workload, graph));
}

std::size_t allocated_elements(Config const& config, Workload const& workload, StepPlaces const& places) {
  if (config.compute == ComputeMode::kernels) return places.elements;
  return is_sharded(config) && needs_arena(config) ? places.leading : gradient_elements(config, workload);
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

RankBuffers step_buffers(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                         int concurrency, MemoryKind arrays) {
  RankBuffers list{.arrays = arrays};
  add(list, BufferUse::step, arrays, elements);
  if (config.compute == ComputeMode::kernels) {
    const auto results = padded_elements(result_buffers(config.step.accumulation));
    add(list, BufferUse::step_results, arrays, static_cast<std::size_t>(results));
    add_work(list, config, concurrency, config.step.accumulation);
  }
  add_lanes(list, config, lanes);
  return list;
}

}  // namespace ddproxy
