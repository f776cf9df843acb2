// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/step_memory.hpp"

#include <stdexcept>

namespace ddproxy {

StepPlaces place_buffers(model::StepGraph const& graph, std::optional<model::BufferKind> first) {
  std::vector<bool> leads;
  for (auto const& buffer : graph.buffers) leads.push_back(buffer.kind == first);
  return place_buffers(graph, leads);
}

StepPlaces place_buffers(model::StepGraph const& graph, std::vector<bool> const& leads) {
  StepPlaces places{std::vector<std::size_t>(graph.buffers.size()), 0, 0};
  const auto place = [&](bool of_first) {
    for (std::size_t b = 0; b < graph.buffers.size(); ++b) {
      auto const& buffer = graph.buffers[b];
      if (buffer.type != model::DataType::fp32)
        throw std::invalid_argument("step: the kernels have buffers in fp32 only");
      if (leads[b] != of_first) continue;
      places.first[b] = places.elements;
      places.elements +=
          static_cast<std::size_t>(padded_elements(static_cast<std::int64_t>(buffer.elements)));
    }
  };
  place(true);
  places.leading = places.elements;
  place(false);
  return places;
}

StepPlaces backward_places(model::Shape const& shape, model::Tokens tokens) {
  return place_buffers(backward_graph(shape, tokens), model::BufferKind::gradient);
}

std::vector<bool> communicated_buffers(model::StepGraph const& graph) {
  std::vector<bool> communicated(graph.buffers.size());
  for (auto const& task : graph.tasks) {
    if (model::collectives_of(task).empty()) continue;
    for (auto const& access : task.accesses) communicated[model::index(access.buffer)] = true;
  }
  return communicated;
}

std::vector<std::int64_t> result_buffers(int micro_batches) {
  constexpr std::int64_t elements_of_a_double = 2;
  return {elements_of_a_double * micro_batches, 2, elements_of_a_double};
}

}  // namespace ddproxy
