// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Probes the cores of neighbouring ranks of each node. The value is the time of a cache line's round trip
/// between the cores of two ranks, in seconds, for the slowest pair of any node. A probe takes 20 to 130 us.
///
/// A pair of ranks has two atomics in a shared window, which make 400 round trips. They are timed in blocks
/// of 25. The value of the pair is the median of the blocks, so that an interrupt does not look like a change
/// of state. Both ranks spin while they wait. If they share a core, the waiting rank occupies it, and the
/// probe returns NaN.
class CoreProbe : public StateProbe {
 public:
  explicit CoreProbe(Runtime const& runtime);  ///< collective
  ~CoreProbe() override;
  CoreProbe(CoreProbe const&) = delete;
  CoreProbe& operator=(CoreProbe const&) = delete;

  double measure() override;
  /// Returns whether most of five trials gave a value. They do not if each node has one rank, or if ranks
  /// share cores. Collective.
  bool works();

 private:
  struct Pair;
  double lead(Pair& pair) const;
  void follow(Pair& pair) const;

  Runtime const& runtime_;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0, ranks_ = 1;       // this rank's number on its node, and the ranks of the node
  Pair* with_next_ = nullptr;      // shared with the next rank; this rank leads
  Pair* with_previous_ = nullptr;  // shared with the previous rank, which leads
  std::uint64_t begun_ = 0;        // number of probes begun so far
};

/// Returns the probe of a run. In a build for a device it is a ClockProbe, because the clocks of the GPUs say
/// more than the cores of the host; it is null if NVML is missing. In a build for a host it is a CoreProbe;
/// it is null if there is one rank, if ranks have more threads than cores, or if the probe does not work.
/// Returns null if `reduces` is false, that is if all-reduces are replayed. The caller owns the probe;
/// `runtime` must outlive it. Collective.
std::unique_ptr<StateProbe> make_state_probe(Runtime const& runtime, bool reduces);

}  // namespace ddproxy
