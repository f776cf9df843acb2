// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/verify_context.hpp"

#include <algorithm>

#include "kernels/base/types.hpp"
#include "miniapp/measure/verification/verify_step.hpp"

namespace ddproxy {
namespace {

// Returns the places of the buffers of a step with replayed compute. Such a step copies no gradients into
// buckets, and has memory for the buckets but not for the gradients. So if the input asks for copies, the
// gradients get the place of the buckets.
std::vector<std::size_t> places_without_copies(StepContext const& context) {
  if (context.rank.config.copies == model::CopyMode::none) return context.places.first;
  auto const& buffers = context.graph().buffers;
  const auto bucket = std::ranges::find(buffers, model::BufferKind::bucket, &model::Buffer::kind);
  auto places = context.places.first;
  for (std::size_t b = 0; b < buffers.size() && bucket != buffers.end(); ++b)
    if (buffers[b].kind == model::BufferKind::gradient)
      places[b] = places[static_cast<std::size_t>(bucket - buffers.begin())];
  return places;
}

std::string verify(StepContext& context, CompiledStep& step, std::vector<std::size_t> const& places) {
  auto const& rank = context.rank;
  const auto lanes = context.lanes();
  const bool rounds = rank.config.wire != WireFormat::fp32;
  const StepToVerify what{step, places, context.groups.places(), rank.memory, lanes, rounds};
  if (!rank.reduces()) return verify_step_order(rank.runtime, what, *context.lane);
  return verify_step_numbers(rank.runtime, what, rank.workload.pass);
}

}  // namespace

std::string verify_step(StepContext& context) {
  if (context.kernels) return verify(context, *context.step, context.places.first);
  const auto places = places_without_copies(context);
  CompiledStep step(context.graph(), places, context.groups.places());
  auto wrong = verify(context, step, places);
  Kokkos::deep_copy(kernels::view_of(context.rank.memory), 0.0F);
  return wrong;
}

}  // namespace ddproxy
