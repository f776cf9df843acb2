// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Probes the cores of neighbouring ranks of each node. For each pair of neighbouring ranks it measures the
/// time in which a cache line goes from the core of one rank to the core of the next rank and back. The value
/// is the longest time of any pair on any node, in seconds. A probe takes 20 to 130 us.
///
/// A pair of ranks has two atomic numbers in a window of shared memory. The ranks answer each other 400 times
/// through these numbers, and each block of 25 round trips is timed. The value of the pair is the median over
/// the blocks, so that an interrupt does not look like a change of state. Both ranks spin while they wait. If
/// they take turns on one core, the rank that waits occupies it. Then no answer arrives in time, and
/// measure() returns NaN.
class CoreProbe : public StateProbe {
 public:
  explicit CoreProbe(Runtime const& runtime);  ///< collective
  ~CoreProbe() override;
  CoreProbe(CoreProbe const&) = delete;
  CoreProbe& operator=(CoreProbe const&) = delete;

  double measure() override;
  /// Calls measure() five times and returns whether most of these calls gave a value. They give none if every
  /// node has one rank only, if MPI has no shared memory, or if the two ranks of a pair take turns on one
  /// core. Collective.
  bool works();

 private:
  struct Pair;
  double lead(Pair& pair) const;
  void follow(Pair& pair) const;

  Runtime const& runtime_;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0, ranks_ = 1;       // number of this rank on its node, and number of ranks on the node
  Pair* with_next_ = nullptr;      // memory shared with the next rank of the node; this rank leads
  Pair* with_previous_ = nullptr;  // memory shared with the previous rank, which leads
  std::uint64_t begun_ = 0;        // number of probes begun so far
};

/// Returns the probe of a run. In a build for a device it is a ClockProbe, because the clocks of the GPUs say
/// more about the speed of a run than the cores of the host do. In a build for a host it is a CoreProbe. The
/// caller owns the probe, and `runtime` must outlive it. Collective.
///
/// Returns null if `reduces` is false, that is, if all-reduces are replayed. In a build for a device, also
/// returns null if NVML cannot read the clocks. In a build for a host, also returns null if there is one
/// rank, if some rank has more threads than cores, or if CoreProbe::works() is false.
std::unique_ptr<StateProbe> make_state_probe(Runtime const& runtime, bool reduces);

}  // namespace ddproxy
