// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_lane.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/residual.hpp"
#include "miniapp/compute/parameters.hpp"
#include "miniapp/input/buffer_list.hpp"

namespace ddproxy {
namespace {

using model::index;
using model::Phase;

StepInput checked(StepInput input, model::StepGraph const& graph) {
  check_input(input, graph);
  if (!graph.expected.clipped) input.clip.reset();
  return input;
}

// Returns the elements of the model that a buffer holds at the start of a step. A buffer with a shard holds
// only the part that belongs to this rank's place in its group.
Slice held_of(model::Buffer const& buffer, std::vector<GroupPlace> const& groups) {
  auto const& state = buffer.at_entry;
  const std::size_t place = state.shard ? static_cast<std::size_t>(groups.at(index(*state.shard)).rank) : 0;
  return model::held_part(state.model, buffer.elements, place);
}

std::vector<HeldSlice> buffers_of(model::StepGraph const& graph, StepPlaces const& places,
                                  std::vector<GroupPlace> const& groups, model::BufferKind kind) {
  std::vector<HeldSlice> found;
  for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
    auto const& buffer = graph.buffers[b];
    if (buffer.kind == kind) found.push_back({{places.first[b], buffer.elements}, held_of(buffer, groups)});
  }
  return found;
}

// Returns whether a collective adds the sums of squares of the ranks.
bool sums_over_ranks(model::StepGraph const& graph) {
  return std::ranges::any_of(graph.tasks, [&](model::Task const& task) {
    return !model::collectives_of(task).empty() &&
           graph.buffers[index(task.accesses.front().buffer)].kind == model::BufferKind::scalar;
  });
}

// Returns a pointer to the doubles of a buffer, which begins on a cache line.
double* as_doubles(float* buffer) {
  return reinterpret_cast<double*>(buffer);
}

template <class T>
std::vector<T> to_host(T const* data, std::size_t count) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  std::vector<T> copy(count);
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Unmanaged>(copy.data(), count),
                    Kokkos::View<T const*, kernels::Memory, Unmanaged>(data, count));
  return copy;
}

}  // namespace

StepLane::StepLane(StepInput input, model::StepGraph const& graph, StepPlaces const& places,
                   kernels::Floats memory, std::vector<GroupPlace> const& groups, kernels::Space exec)
    : KernelLane(std::move(exec), std::move(memory), graph.tasks.size()),
      input_(checked(std::move(input), graph)),
      parameters_(buffers_of(graph, places, groups, model::BufferKind::parameter)),
      states_(buffers_of(graph, places, groups, model::BufferKind::optimizer_state)),
      results_(std::string(name_of(BufferUse::step_results)), result_buffers(graph.expected.micro_batches)),
      losses_(as_doubles(results_[ResultBuffer::losses])),
      clip_(results_[ResultBuffer::clip]),
      kernels_(exec_, input_, losses_),
      update_(input_.optimizer, input_.clip, clip_,
              sums_over_ranks(graph) ? as_doubles(results_[ResultBuffer::sum_of_squares]) : nullptr) {
  kernels_.check_places(graph);
}

void StepLane::initialise(std::uint32_t seed) {
  const auto pass = model::backward_pass(input_.shape);
  const auto clear = [&](Slice slice) {
    kernels::fill_zero(exec_, static_cast<kernels::Index>(slice.count), memory_.data() + slice.offset);
  };
  for (auto const& [slice, held] : parameters_) {
    clear({slice.offset + held.count, slice.count - held.count});
    initialise_weights(exec_, input_.shape, pass, seed, held, memory_.data() + slice.offset);
  }
  for (auto const& state : states_) clear(state.memory);
  update_.restart();
  fence();
}

void StepLane::begin() {
  KernelLane::begin();
  update_.begin();
}

void StepLane::run(std::size_t operation) {
  throw std::logic_error("operator " + std::to_string(operation) +
                         " of a whole step cannot run without its places; call carry_out()");
}

void StepLane::carry_out(ComputeCall const& call) {
  const step::Operands places(call.accesses, memory_.data(), memory_.data());
  switch (call.compute.phase) {
    case Phase::forward:
    case Phase::recompute:
    case Phase::backward:
      kernels_.carry_out(call.compute, places);
      break;
    case Phase::norm:
      update_.add_squares(kernels_.context(), places);
      break;
    case Phase::clip:
      update_.clip(kernels_.context(), places);
      break;
    case Phase::update:
      update_.adamw(kernels_.context(), places);
      break;
  }
  marks_.move_on();
}

double StepLane::loss() const {
  exec_.fence("StepLane::loss");
  const auto losses = to_host(losses_, input_.batches.size());
  const auto all_tokens = static_cast<double>(input_.tokens.count()) * static_cast<double>(losses.size());
  return std::accumulate(losses.begin(), losses.end(), 0.0) / all_tokens;
}

float StepLane::norm() const {
  exec_.fence("StepLane::norm");
  return to_host(clip_, 2)[1];
}

}  // namespace ddproxy
