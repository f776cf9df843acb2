// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/mpi_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ctest/bench/pairs.hpp"
#include "ctest/bench/plain_collectives.hpp"
#include "ctest/bench/transfers.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy::bench {
namespace {

using model::Verb;
using Calls = std::vector<CollectiveCall>;

/// The rows that are measured with blocking and with nonblocking MPI calls.
constexpr Row rows_of_both_mpi_calls[] = {{Verb::all_reduce, false},     {Verb::all_reduce, true},
                                          {Verb::reduce_scatter, false}, {Verb::all_gather, false},
                                          {Verb::broadcast, false},      {Verb::send, false}};

/// The state that all rows of MPI share.
struct Machine {
  Runtime const& runtime;
  Settings settings;
  bool own_core;
  std::size_t elements;       // of `arena` that hold messages
  kernels::HostFloats arena;  // the messages, then the results of reduce-scatters and the received messages

  float* results() const { return arena.data() + elements; }

  GroupPlace place() const { return {runtime.rank(), runtime.ranks()}; }
};

/// Returns the operands of a call in the plain loop.
PlainMessage plain_message(Machine const& machine, CollectiveCall const& call) {
  const auto [offset, count] = full_slice(call);
  return {.verb = call.verb,
          .values = machine.arena.data() + offset,
          .part = machine.results(),
          .elements = count,
          .piece = machine.settings.piece / sizeof(float),
          .peer = call.root_or_peer,
          .communicator = machine.runtime.communicator()};
}

/// Returns the seconds of the same calls, made directly to MPI: the maximum over ranks.
double plain_seconds(Machine const& machine, Row const& row, bool blocking, Calls const& calls) {
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); k += row.group)
    if (row.group == 1)
      plain_collective(blocking, plain_message(machine, calls[k]));
    else
      plain_pair(plain_message(machine, calls[k]), plain_message(machine, calls[k + 1]));
  return machine.runtime.maximum(seconds_since(start));
}

/// Returns the seconds of ddproxy's calls: the maximum over ranks. Waits after each group of calls, or for a
/// train only after all calls.
double own_seconds(Machine const& machine, CommunicationLane& lane, Row const& row, Calls const& calls) {
  lane.begin(calls.size());
  machine.runtime.barrier();
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls.size(); k += row.group) {
    lane.start_group({&calls[k], row.group}, {start});
    if (!row.train) lane.wait_for(k + row.group - 1);
  }
  lane.wait_all();
  return machine.runtime.maximum(seconds_since(start));
}

/// Returns the calls of a row. The result of a reduce-scatter lies behind the messages, as in the plain loop.
Calls calls_of(Machine const& machine, Row const& row) {
  auto calls = messages(row, machine.place(), machine.elements);
  for (auto& call : calls)
    if (row.verb == Verb::reduce_scatter) call.assigned.offset = machine.elements;
  return calls;
}

/// Carries out the calls of a row once. Throws WrongNumbers on all ranks if a received element differs
/// from the element that was sent. `side` makes the calls, by ddproxy or by the plain loop. `who` names the
/// side in the error.
void warm_up(Machine const& machine, Calls const& calls, char const* who,
             std::function<double()> const& side) {
  write_sent(calls, machine.arena.data(), machine.runtime.rank());
  side();
  const auto wrong = take_wrong(calls, machine.arena.data(), machine.elements);
  if (const double all = machine.runtime.sum(static_cast<double>(wrong)); all > 0)
    throw WrongNumbers(fmt::format("{}: {:.0f} received elements are not those that were sent", who, all));
}

void compare(benchmark::State& state, Machine const& machine, Row const& row, bool blocking) {
  ThreadedLane lane(std::make_unique<MpiEngine>(machine.runtime.communicator(), machine.arena.data(),
                                                machine.settings.piece / sizeof(float), timeout_s,
                                                WireFormat::fp32, MpiCallTable(blocking)),
                    machine.own_core ? ThreadPlace::own_core : ThreadPlace::shared_core,
                    machine.runtime.rank());
  lane.make_room(row.group);
  const auto calls = calls_of(machine, row);
  const auto own = [&] { return own_seconds(machine, lane, row, calls); };
  const auto plain = [&] { return plain_seconds(machine, row, blocking, calls); };
  warm_up(machine, calls, "ddproxy", own);
  warm_up(machine, calls, "the plain loop", plain);
  // A rank without a peer has no calls, but the divisor must not be 0. Such a rank is not rank 0, and only
  // rank 0 prints its results.
  const std::size_t groups = std::max<std::size_t>(calls.size() / row.group, 1);
  report(state, in_turns(state, groups, own, plain), row.bytes);
}

}  // namespace

void register_mpi_rows(Runtime const& runtime, Settings const& settings, bool own_core) {
  const std::size_t elements = settings.largest / sizeof(float);
  const auto machine = std::make_shared<Machine>(Machine{
      runtime, settings, own_core, elements, kernels::HostFloats("messages and results", 2 * elements)});
  const auto add = [&](Row const& wanted, bool blocking) {
    if (is_transfer(wanted.verb) && runtime.ranks() < 2) return;
    register_rows(settings, wanted, blocking ? "blocking" : "nonblocking",
                  [=](benchmark::State& state, Row const& row) { compare(state, *machine, row, blocking); });
  };
  for (auto const& row : rows_of_both_mpi_calls)
    for (const bool blocking : {true, false}) add(row, blocking);
  add({Verb::send, false, 2}, false);  // ddproxy issues a group with nonblocking MPI calls only
}

}  // namespace ddproxy::bench
