// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_backward.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "miniapp/compute/parameters.hpp"
#include "miniapp/input/buffer_list.hpp"

namespace ddproxy {
namespace {

StepInput checked_input(model::Shape const& shape, model::BackwardPass const& pass, model::Tokens tokens,
                        std::uint32_t seed, kernels::Floats const& gradients) {
  check_kernels_have(shape, tokens);
  const std::int64_t elements = model::parameters(pass);
  if (static_cast<std::int64_t>(gradients.size()) != elements)
    throw std::invalid_argument("the memory of the gradients has " + std::to_string(gradients.size()) +
                                " elements, but the model has " + std::to_string(elements) +
                                " parameters; the two numbers must be equal");
  return {shape, tokens, draw_tokens(shape, tokens, 1, seed)};
}

}  // namespace

KernelBackward::KernelBackward(model::Shape const& shape, model::BackwardPass const& pass,
                               model::Tokens tokens, std::uint32_t seed, int rank, kernels::Floats gradients,
                               kernels::Floats memory, kernels::Space exec)
    : KernelLane(std::move(exec), std::move(memory), most_launches(pass)),
      gradients_(std::move(gradients)),
      kernels_(exec_,
               checked_input(shape, pass, tokens, seed + static_cast<std::uint32_t>(rank), gradients_)) {
  add_tasks(backward_graph(shape, tokens), backward_places(shape, tokens));
  initialise_weights(exec_, shape, pass, seed, {0, gradients_.size()}, buffers_.data());
  renew();
}

// The buffers lie in one allocation, in the order of the graph: the parameters come first. The gradients lie
// in memory of their own.
void KernelBackward::add_tasks(model::StepGraph const& graph, StepPlaces const& places) {
  buffers_ = kernels::Floats(
      Kokkos::view_alloc(std::string(name_of(BufferUse::activations)), Kokkos::WithoutInitializing),
      places.elements - places.leading);
  for (auto const& task : graph.tasks) {
    PlacedTask placed{std::get<model::Compute>(task.work), {}};
    for (auto const& access : task.accesses) {
      const std::size_t buffer = model::index(access.buffer);
      const bool is_gradient = graph.buffers[buffer].kind == model::BufferKind::gradient;
      const std::size_t first = is_gradient ? 0 : places.first[buffer] - places.leading;
      placed.accesses.push_back({{first + access.slice.offset, access.slice.count},
                                 access.mode,
                                 access.content,
                                 access.model,
                                 access.last_use});
    }
    auto& tasks = placed.compute.phase == model::Phase::forward ? forward_ : backward_;
    tasks.push_back(std::move(placed));
  }
}

void KernelBackward::renew() {
  for (auto const& task : forward_) enqueue(task);
  fence();
}

}  // namespace ddproxy
