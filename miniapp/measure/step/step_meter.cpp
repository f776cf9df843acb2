// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/base/types.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/step/run_alone.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

using model::PhaseSeconds;

// An alias, because nvcc adds parentheses to a declaration of an array of pointers to members. The host's
// compiler then warns.
using Member = double PhaseSeconds::*;
constexpr Member members[] = {&PhaseSeconds::forward, &PhaseSeconds::recompute,  &PhaseSeconds::backward,
                              &PhaseSeconds::clip,    &PhaseSeconds::update,     &PhaseSeconds::copies,
                              &PhaseSeconds::waiting, &PhaseSeconds::host_waits, &PhaseSeconds::step};
constexpr std::size_t columns = std::size(members);

// Sums of the parameters in one buffer of a rank. Equal parameters give equal sums. Different parameters are
// unlikely to give equal sums. The second sum has weights, so that it also depends on the order of the
// parameters.
struct Checksum {
  double sum = 0, weighted = 0;
};

Checksum checksum(std::span<float> parameters) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernels::view_of(parameters));
  Checksum sums;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    sums.sum += host(i);
    sums.weighted += host(i) * static_cast<double>(1 + i % 8191);
  }
  return sums;
}

}  // namespace

PhaseSeconds StepMeter::step() {
  auto& rank = context_.rank;
  const auto lanes = context_.lanes();
  synchronise_clocks();
  rank.runtime.barrier();
  const auto times = [&] {
    const auto limit = rank.runtime.limited_on_device();
    return run_step(*context_.step, *context_.lane, lanes);
  }();
  std::vector<CallsOfLane> calls;
  for (auto const* lane : lanes) calls.push_back(&lane->finished());
  trace_ = trace_of(times, *context_.step, calls);
  const auto mine = model::phase_seconds(context_.step->graph(), trace_, times.total);
  std::vector<double> values;
  for (auto member : members) values.push_back(mine.*member);
  const auto all = rank.runtime.gather(values);
  PhaseSeconds slowest;
  for (std::size_t at = 0; at < all.size(); at += columns)
    if (all[at + columns - 1] > slowest.step)
      for (std::size_t c = 0; c < columns; ++c) slowest.*members[c] = all[at + c];
  return slowest;
}

double StepMeter::alone() {
  auto& rank = context_.rank;
  synchronise_clocks();
  rank.runtime.barrier();
  const auto trace = [&] {
    const auto limit = rank.runtime.limited_on_device();
    return run_alone(*context_.step, *context_.lane);
  }();
  alone_.resize(trace.tasks.size());
  for (std::size_t t = 0; t < trace.tasks.size(); ++t)
    alone_[t].push_back(trace.tasks[t].end - trace.tasks[t].start);
  return rank.runtime.maximum(model::phase_seconds(context_.step->graph(), trace).compute());
}

std::vector<double> StepMeter::task_seconds() const {
  std::vector<double> medians;
  for (auto const& seconds : alone_) medians.push_back(model::median(seconds));
  const auto all = context_.rank.runtime.gather(medians);
  double longest = -1;
  std::vector<double> slowest;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(medians.size())) {
    const auto end = at + static_cast<std::ptrdiff_t>(medians.size());
    if (const double sum = std::accumulate(at, end, 0.0); sum > longest) {
      longest = sum;
      slowest.assign(at, end);
    }
  }
  return slowest;
}

double StepMeter::loss() const {
  if (!context_.kernels) return not_available;
  auto const& runtime = context_.rank.runtime;
  return runtime.sum(context_.kernels->loss()) / runtime.ranks();
}

bool StepMeter::equal_parameters() const {
  if (!context_.kernels) return true;
  auto const& buffers = context_.step->graph().buffers;
  bool equal = true;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].kind == model::BufferKind::parameter) equal = has_equal_copies(b) && equal;
  return equal;
}

// If the buffer is a shard, ranks at different places in their group have different parts of the model. So
// only ranks at the same place are compared with each other, one place after another.
bool StepMeter::has_equal_copies(std::size_t buffer) const {
  auto const& runtime = context_.rank.runtime;
  auto const& described = context_.step->graph().buffers[buffer];
  const auto shard = described.at_exit.shard;
  const GroupPlace place = shard ? context_.groups.places()[model::index(*shard)] : GroupPlace{};
  const auto mine = checksum(context_.rank.memory.subspan(context_.places.first[buffer], described.elements));
  constexpr double none = -std::numeric_limits<double>::infinity();
  bool equal = true;
  for (const double value : {mine.sum, mine.weighted}) {
    equal = runtime.maximum(std::isfinite(value) ? 0.0 : 1.0) == 0 && equal;
    for (int part = 0; part < place.ranks; ++part) {
      const bool counts = part == place.rank;
      equal = runtime.maximum(counts ? value : none) == -runtime.maximum(counts ? -value : none) && equal;
    }
  }
  return equal;
}

}  // namespace ddproxy
