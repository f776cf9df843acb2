// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/core_probe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/clock_probe.hpp"
#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr int blocks = 16, trips_of_block = 25;
// The first number of a probe shows that both ranks are ready.
constexpr std::uint64_t numbers_of_probe = blocks * trips_of_block + 1;
constexpr std::chrono::milliseconds until_both_are_there{6}, until_it_is_over{2};
constexpr double no_pair = 0, unknown = std::numeric_limits<double>::infinity();
constexpr std::size_t apart = 128;  // bytes; twice a cache line, because processors fetch lines in pairs

using Number = std::atomic<std::uint64_t>;
static_assert(Number::is_always_lock_free);

// Waits until `number` has the value `value`. Returns false if this has not happened by the deadline.
bool await(Number const& number, std::uint64_t value, Clock::time_point deadline) {
  constexpr int looks = 1000;  // tests between two looks at the clock
  for (;;) {
    for (int i = 0; i < looks; ++i)
      if (number.load(std::memory_order_acquire) == value) return true;
    if (Clock::now() > deadline) return false;
  }
}

bool exchange(Number& mine, Number const& other, std::uint64_t value, Clock::time_point deadline) {
  mine.store(value, std::memory_order_release);
  return await(other, value, deadline);
}

}  // namespace

// Each number has a cache line of its own. Its values increase from probe to probe. So the value that an
// aborted probe has left is never mistaken for an answer.
struct CoreProbe::Pair {
  alignas(apart) Number ping{0};
  alignas(apart) Number pong{0};
};

CoreProbe::CoreProbe(Runtime const& runtime) : runtime_(runtime) {
  node_ = runtime.split_by_node();
  check_mpi(MPI_Comm_rank(node_, &rank_));
  check_mpi(MPI_Comm_size(node_, &ranks_));
  void* mine = nullptr;
  const MPI_Aint bytes = sizeof(Pair) + apart;
  const bool failed = [&] {
    const auto limit = runtime.limited("MPI_Win_allocate_shared");
    return MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node_, &mine, &window_) != MPI_SUCCESS;
  }();
  if (runtime.maximum(failed) > 0) return;  // without shared memory there is no probe
  const auto pair_in = [](void* memory) {
    std::size_t space = sizeof(Pair) + apart;
    return std::align(apart, sizeof(Pair), memory, space);
  };
  with_next_ = new (pair_in(mine)) Pair;
  if (rank_ > 0) {
    MPI_Aint size = 0;
    int unit = 0;
    void* previous = nullptr;
    check_mpi(MPI_Win_shared_query(window_, rank_ - 1, &size, &unit, &previous));
    with_previous_ = static_cast<Pair*>(pair_in(previous));
  }
}

// MPI_Win_free waits for all ranks of the node. After an error the other ranks may never call it, so the
// window is then not freed.
CoreProbe::~CoreProbe() {
  if (std::uncaught_exceptions() > 0) return;
  const auto limit = runtime_.limited("MPI_Win_free");
  if (with_next_) MPI_Win_free(&window_);
  MPI_Comm_free(&node_);
}

double CoreProbe::lead(Pair& pair) const {
  std::uint64_t number = begun_ * numbers_of_probe;
  if (!exchange(pair.ping, pair.pong, number, Clock::now() + until_both_are_there)) return unknown;
  const auto deadline = Clock::now() + until_it_is_over;
  std::vector<double> seconds;
  seconds.reserve(blocks);
  for (int block = 0; block < blocks; ++block) {
    const auto start = Clock::now();
    for (int trip = 0; trip < trips_of_block; ++trip)
      if (!exchange(pair.ping, pair.pong, ++number, deadline)) return unknown;
    seconds.push_back(seconds_since(start) / trips_of_block);
  }
  return model::median(seconds);
}

void CoreProbe::follow(Pair& pair) const {
  auto deadline = Clock::now() + until_both_are_there;
  const std::uint64_t first = begun_ * numbers_of_probe;
  for (std::uint64_t number = first; number < first + numbers_of_probe; ++number) {
    if (!await(pair.ping, number, deadline)) return;
    pair.pong.store(number, std::memory_order_release);
    if (number == first) deadline = Clock::now() + until_it_is_over;
  }
}

// A rank belongs to two pairs, but it can take part in one exchange only at a time. So the pairs whose first
// rank is even are probed first, and the other pairs after them.
double CoreProbe::measure() {
  if (!with_next_) return not_available;
  ++begun_;
  runtime_.barrier();
  double slowest = no_pair;
  for (int turn = 0; turn < 2; ++turn) {
    if (rank_ % 2 == turn && rank_ + 1 < ranks_) slowest = std::max(slowest, lead(*with_next_));
    if (rank_ % 2 != turn && rank_ > 0) follow(*with_previous_);
  }
  slowest = runtime_.maximum(slowest);
  return slowest == no_pair || slowest == unknown ? not_available : slowest;
}

bool CoreProbe::works() {
  constexpr int trials = 5;
  int known = 0;
  for (int i = 0; i < trials; ++i) known += !std::isnan(measure());
  return 2 * known > trials;
}

std::unique_ptr<StateProbe> make_state_probe(Runtime const& runtime, bool reduces) {
  if (on_device && reduces) return make_clock_probe(runtime, describe_device(runtime.device()).pci_bus);
  if (!reduces || runtime.ranks() == 1) return nullptr;
  // ranks that take turns on one core answer in time only by chance
  if (runtime.maximum(runtime.threads().oversubscribed) > 0) return nullptr;
  auto probe = std::make_unique<CoreProbe>(runtime);
  if (!probe->works()) return nullptr;
  return probe;
}

}  // namespace ddproxy
