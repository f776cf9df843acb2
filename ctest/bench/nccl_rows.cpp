// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/nccl_rows.hpp"

#include <memory>
#include <optional>

#include "ctest/bench/pairs.hpp"
#include "ctest/bench/plain_nccl.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/engines/nccl_lane.hpp"
#include "miniapp/device/marks.hpp"

namespace ddproxy::bench {
namespace {

using Calls = std::vector<CollectiveCall>;

Config nccl_config() {
  Config config;
  config.backend = Backend::nccl;
  config.timeout_s = timeout_s;
  return config;
}

/// ddproxy's lane and the plain loop, which all rows share. Each has a communicator and a stream of its own.
class BothSides {
 public:
  BothSides(Runtime const& runtime, std::size_t elements)
      : runtime_(runtime),
        arena_("messages", elements),
        lane_(make_nccl_allreduce(nccl_config(), runtime.communicator(), kernels::elements_of(arena_),
                                  {elements})),
        plain_(runtime.communicator(), arena_.data()),
        marks_(train_length) {}

  void compare(benchmark::State& state, Row const& row);

 private:
  Completion ready();
  double own_seconds(bool train, Calls const& calls);
  double plain_seconds(bool train, Calls const& calls);

  Runtime const& runtime_;
  kernels::Floats arena_;
  std::unique_ptr<CommunicationLane> lane_;
  PlainNccl plain_;
  kernels::Space exec_;
  Marks marks_;
};

/// Records an event on the stream of the kernels, as the compute lane does for a bucket.
Completion BothSides::ready() {
  marks_.move_on();
  return marks_.after(exec_);
}

/// Returns the seconds of ddproxy's calls: the maximum over ranks. Records an event for each message.
double BothSides::own_seconds(bool train, Calls const& calls) {
  const std::size_t at_once = train ? calls.size() : 1;
  runtime_.barrier();
  const auto start = Clock::now();
  for (std::size_t first = 0; first < calls.size(); first += at_once) {
    lane_->begin(at_once);
    for (std::size_t k = first; k < first + at_once; ++k) lane_->start(calls[k], ready());
    lane_->wait_all();
  }
  return runtime_.maximum(seconds_since(start));
}

/// Returns the seconds of the same calls, made directly to NCCL: the maximum over ranks. Records no events.
double BothSides::plain_seconds(bool train, Calls const& calls) {
  runtime_.barrier();
  const auto start = Clock::now();
  for (auto const& call : calls) {
    plain_.enqueue(call);
    if (!train) plain_.synchronise();
  }
  plain_.synchronise();
  return runtime_.maximum(seconds_since(start));
}

void BothSides::compare(benchmark::State& state, Row const& row) {
  const auto calls = messages(row, {runtime_.rank(), runtime_.ranks()}, arena_.extent(0));
  const auto own = [&] { return own_seconds(row.train, calls); };
  const auto plain = [&] { return plain_seconds(row.train, calls); };
  own();
  plain();
  report(state, in_turns(state, calls.size(), own, plain), row.bytes);
}

}  // namespace

void register_nccl_rows(Runtime const& runtime, Settings const& settings) {
  using model::Verb;
  const auto sides = std::make_shared<std::optional<BothSides>>();
  const auto measure = [=, &runtime](benchmark::State& state, Row const& row) {
    if (!*sides) sides->emplace(runtime, settings.largest / sizeof(float));
    (*sides)->compare(state, row);
  };
  for (const bool train : {false, true}) register_rows(settings, {Verb::all_reduce, train}, "nccl", measure);
  for (const auto verb : {Verb::reduce_scatter, Verb::all_gather, Verb::broadcast})
    register_rows(settings, {verb, false}, "nccl", measure);
}

}  // namespace ddproxy::bench
