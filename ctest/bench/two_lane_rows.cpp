// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/two_lane_rows.hpp"

#include <memory>
#include <utility>

#include "ctest/bench/pairs.hpp"
#include "ctest/bench/plain_collectives.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy::bench {
namespace {

using model::Verb;
using Lanes = std::vector<std::unique_ptr<CommunicationLane>>;

/// The second communicator of the plain loop, which calls MPI directly (plain_seconds()).
class Duplicate {
 public:
  explicit Duplicate(MPI_Comm of) { check_mpi(MPI_Comm_dup(of, &communicator_)); }
  ~Duplicate() { MPI_Comm_free(&communicator_); }
  Duplicate(Duplicate const&) = delete;
  Duplicate& operator=(Duplicate const&) = delete;
  MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

/// A row: its calls, and the memory that they use.
struct TwoLanes {
  Runtime const& runtime;
  std::size_t elements;  // of each of the three parts of `arena`
  // The elements that are gathered, then those that are reduced, then the results of the reduce-scatters.
  kernels::HostFloats arena;
  std::vector<CollectiveCall> gathers, scatters;  // [message]
};

GroupPlace place_of(Runtime const& runtime) {
  return {runtime.rank(), runtime.ranks()};
}

TwoLanes two_lanes(Runtime const& runtime, Settings const& settings, std::size_t bytes) {
  const std::size_t elements = settings.largest / sizeof(float);
  TwoLanes row{
      runtime, elements, kernels::HostFloats("gathered, reduced, results", 3 * elements),
      messages({.verb = Verb::all_gather, .train = false, .bytes = bytes}, place_of(runtime), elements),
      messages({.verb = Verb::reduce_scatter, .train = false, .bytes = bytes}, place_of(runtime), elements)};
  for (auto& call : row.scatters) {
    call.read.offset += elements;
    call.assigned.offset = 2 * elements;
  }
  return row;
}

Lanes make_lanes(TwoLanes const& row, Settings const& settings, JointPolling polling) {
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (int lane = 0; lane < 2; ++lane)
    engines.push_back(std::make_unique<MpiEngine>(row.runtime.communicator(), row.arena.data(),
                                                  settings.piece / sizeof(float), timeout_s, WireFormat::fp32,
                                                  MpiCallTable(false)));
  return make_joint_lanes(std::move(engines), polling);
}

/// Returns the seconds of ddproxy's calls: the maximum over ranks.
double own_seconds(TwoLanes const& row, Lanes const& lanes) {
  for (auto const& lane : lanes) lane->begin(row.gathers.size());
  row.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < row.gathers.size(); ++k) {
    lanes[0]->start(row.gathers[k], {start});
    lanes[1]->start(row.scatters[k], {start});
    for (auto const& lane : lanes) lane->wait_for(k);
  }
  return row.runtime.maximum(seconds_since(start));
}

PlainMessage plain_message(TwoLanes const& row, CollectiveCall const& call, MPI_Comm communicator) {
  const auto [offset, count] = full_slice(call);
  return {.verb = call.verb,
          .values = row.arena.data() + offset,
          .part = row.arena.data() + 2 * row.elements,
          .elements = count,
          .piece = count,
          .peer = 0,
          .communicator = communicator};
}

/// Returns the seconds of the same calls, made directly to MPI: the maximum over ranks.
double plain_seconds(TwoLanes const& row, MPI_Comm second) {
  row.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < row.gathers.size(); ++k)
    plain_pair(plain_message(row, row.gathers[k], row.runtime.communicator()),
               plain_message(row, row.scatters[k], second));
  return row.runtime.maximum(seconds_since(start));
}

void compare(benchmark::State& state, Runtime const& runtime, Settings const& settings, JointPolling polling,
             std::size_t bytes) {
  const TwoLanes row = two_lanes(runtime, settings, bytes);
  const auto lanes = make_lanes(row, settings, polling);
  const Duplicate second(runtime.communicator());
  const auto own = [&] { return own_seconds(row, lanes); };
  const auto plain = [&] { return plain_seconds(row, second.get()); };
  own();
  plain();
  report(state, in_turns(state, row.gathers.size(), own, plain), bytes);
}

}  // namespace

void register_two_lane_rows(Runtime const& runtime, Settings const& settings, bool own_core) {
  for (const bool thread : {true, false})
    register_rows(settings, {.verb = Verb::all_gather, .train = false, .lanes = 2},
                  thread ? "thread" : "poll", [=, &runtime](benchmark::State& state, Row const& row) {
                    compare(state, runtime, settings, {.thread = thread, .own_core = own_core}, row.bytes);
                  });
}

}  // namespace ddproxy::bench
