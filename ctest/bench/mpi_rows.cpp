// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/mpi_rows.hpp"

#include <memory>

#include "ctest/bench/pairs.hpp"
#include "ctest/bench/plain_collectives.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"

namespace ddproxy::bench {
namespace {

/// The state that all rows of MPI share.
struct Machine {
  Runtime const& runtime;
  Settings settings;
  bool own_core;
  std::size_t elements;       // of `arena` that hold messages
  kernels::HostFloats arena;  // the messages, then the results of reduce-scatters

  float* results() const { return arena.data() + elements; }

  GroupPlace place() const { return {runtime.rank(), runtime.ranks()}; }
};

/// Returns the seconds of the same calls, made directly to MPI: the maximum over ranks.
double plain_seconds(Machine const& machine, model::Verb verb, bool blocking,
                     std::vector<CollectiveCall> const& calls) {
  const std::size_t piece = machine.settings.piece / sizeof(float);
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (auto const& call : calls) {
    const auto [offset, count] = full_slice(call);
    plain_collective(
        verb, blocking,
        {machine.arena.data() + offset, machine.results(), count, piece, machine.runtime.communicator()});
  }
  return machine.runtime.maximum(seconds_since(start));
}

/// Returns the seconds of ddproxy's calls: the maximum over ranks. In a train, waits only once, at the end.
double own_seconds(Machine const& machine, CommunicationLane& lane, bool train,
                   std::vector<CollectiveCall> const& calls) {
  lane.begin(calls.size());
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    lane.start(calls[k], {start});
    if (!train) lane.wait_for(k);
  }
  lane.wait_all();
  return machine.runtime.maximum(seconds_since(start));
}

/// Returns the calls of a row. The result of a reduce-scatter lies behind all messages, as in the plain loop.
std::vector<CollectiveCall> calls_of(Machine const& machine, Row const& row) {
  auto calls = messages(row, machine.place(), machine.elements);
  for (auto& call : calls)
    if (row.verb == model::Verb::reduce_scatter) call.assigned.offset = machine.elements;
  return calls;
}

void compare(benchmark::State& state, Machine const& machine, Row const& row, bool blocking) {
  ThreadedLane lane(std::make_unique<MpiEngine>(machine.runtime.communicator(), machine.arena.data(),
                                                machine.settings.piece / sizeof(float), timeout_s,
                                                WireFormat::fp32, CallTable(blocking)),
                    machine.own_core ? ThreadPlace::own_core : ThreadPlace::shared_core,
                    machine.runtime.rank());
  const auto calls = calls_of(machine, row);
  const auto own = [&] { return own_seconds(machine, lane, row.train, calls); };
  const auto plain = [&] { return plain_seconds(machine, row.verb, blocking, calls); };
  own();
  plain();
  report(state, in_turns(state, calls.size(), own, plain), row.bytes);
}

}  // namespace

void register_mpi_rows(Runtime const& runtime, Settings const& settings, bool own_core) {
  using model::Verb;
  const std::size_t elements = settings.largest / sizeof(float);
  const auto machine = std::make_shared<Machine>(Machine{
      runtime, settings, own_core, elements, kernels::HostFloats("messages and results", 2 * elements)});
  const auto add = [&](Verb verb, bool train) {
    for (const bool blocking : {true, false})
      register_rows(
          settings, {verb, train}, blocking ? "blocking" : "nonblocking",
          [=](benchmark::State& state, Row const& row) { compare(state, *machine, row, blocking); });
  };
  for (const bool train : {false, true}) add(Verb::all_reduce, train);
  for (const auto verb : {Verb::reduce_scatter, Verb::all_gather, Verb::broadcast}) add(verb, false);
}

}  // namespace ddproxy::bench
