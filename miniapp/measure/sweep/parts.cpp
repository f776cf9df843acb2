// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/sweep/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t bucket_calls = 256;
// KiB of all all-reduces of a sample together. A sample has at least 1 and at most `most_calls` all-reduces.
constexpr double row_kib = 4096;
constexpr double most_calls = 64;

// Returns the seconds of one all-reduce: the mean over `calls`. The host starts all calls, and then waits for
// all of them.
double run_row(CommunicationLane& allreduce, std::vector<Slice> const& calls) {
  const auto start = Clock::now();
  for (auto const& slice : calls) allreduce.start_all_reduce(slice, {start});
  allreduce.wait_all();
  return seconds_since(start) / static_cast<double>(calls.size());
}

// Returns the seconds of one bucket: the mean over `calls`. The host starts the reduction of each bucket
// after it has seen the completion of the previous one.
double run_buckets(CommunicationLane& allreduce, std::vector<Slice> const& calls) {
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    allreduce.start_all_reduce(calls[k], {Clock::now()});
    allreduce.wait_for(k);
  }
  return seconds_since(start) / static_cast<double>(calls.size());
}

// Returns the message sizes in KiB. A single rank cannot reduce, so it has none.
std::vector<double> sizes_of(RankContext const& context) {
  return context.runtime.ranks() > 1 ? context.config.gate.allreduce_kib : std::vector<double>{};
}

std::vector<Slice> row_of(double kib) {
  const auto calls = static_cast<std::size_t>(std::clamp(row_kib / kib, 1.0, most_calls));
  return std::vector<Slice>(calls, Slice{0, gate_elements(kib)});
}

// Makes the lane for real all-reduces that the input asks for. If the input asks for replay, MPI reduces.
std::unique_ptr<CommunicationLane> make_real(RankContext const& context, std::span<float> memory) {
  Config config = context.config;
  if (config.backend == Backend::replay) config.backend = Backend::mpi;
  const auto limit = context.runtime.limited("MPI_Comm_dup");
  return make_allreduce(config, context.choice, context.runtime.communicator(), memory);
}

}  // namespace

OperatorTimes::OperatorTimes(model::BackwardPass const& pass) : names_{"compute"} {
  for (auto const& operation : pass.operations) {
    const auto name = fmt::format("compute/{}", word_of(operation.kind, operation_kind_words));
    const auto found = std::ranges::find(names_, name);
    place_.push_back(static_cast<std::size_t>(found - names_.begin()));
    if (found == names_.end()) names_.push_back(name);
  }
}

std::vector<double> OperatorTimes::seconds(Clock::time_point start,
                                           std::vector<Clock::time_point> const& ends) const {
  std::vector<double> all(names_.size(), 0.0);
  for (std::size_t op = 0; op < ends.size(); ++op) {
    const double seconds = seconds_between(op ? ends[op - 1] : start, ends[op]);
    all[0] += seconds;
    all[place_[op]] += seconds;
  }
  return all;
}

std::vector<std::string> Parts::names_of(RankContext const& context) {
  std::vector<std::string> names;
  if (context.config.gate.bucket) names.push_back("bucket");
  for (double kib : sizes_of(context)) names.push_back(fmt::format("allreduce/{}KiB", kib));
  return names;
}

Parts::Parts(RankContext& context) : context_(context), names_(names_of(context)) {
  if (context.config.gate.bucket) {
    rows_.push_back({false, std::vector<Slice>(bucket_calls, Slice{0, 1})});
    const auto no_time = [](std::int64_t) { return 0.0; };
    free_ = std::make_unique<ThreadedLane>(std::make_unique<ReplayEngine>(no_time));
  }
  const auto sizes = sizes_of(context);
  if (sizes.empty()) return;
  for (double kib : sizes) rows_.push_back({true, row_of(kib)});
  memory_ = SharedFloats(std::string(name_of(BufferUse::gate)), context.buffers.elements(BufferUse::gate));
  real_ = make_real(context, memory_.elements());
}

double Parts::measure(std::size_t part) {
  Row const& row = rows_[part];
  if (!row.collective && !context_.runtime.root()) return 0;
  CommunicationLane& allreduce = row.collective ? *real_ : *free_;
  allreduce.begin(row.calls.size());
  synchronise_clocks();
  if (!row.collective) return run_buckets(allreduce, row.calls);
  context_.runtime.barrier();
  return context_.runtime.maximum(run_row(allreduce, row.calls));
}

}  // namespace ddproxy
