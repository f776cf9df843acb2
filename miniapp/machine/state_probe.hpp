// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "miniapp/machine/nvml.hpp"
#include "miniapp/machine/runtime.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Tells the state that the machine is in (model/predict/machine_state.hpp), before and after each sample.
class StateProbe {
 public:
  virtual ~StateProbe() = default;
  /// Returns a value above 0, by which MachineStates tells states; NaN: unknown. Takes microseconds, and
  /// never more than a few milliseconds. Collective; the same on all ranks.
  virtual double measure() = 0;
  /// How to name the states that the values tell.
  virtual model::StateWords words() const { return {}; }
  /// Clocks of this rank's GPU, to be stored before and after the run; nothing for a probe of cores.
  virtual std::optional<GpuClocks> clocks() const { return std::nullopt; }
};

/// Probes the cores of neighbouring ranks of each node: measures seconds of a cache line's round trip between
/// two cores, the slowest pair's, in 20 to 130 us. Two atomics in a shared window go to and fro 400
/// times. A block of 25 round trips is timed at once, and the median block is the pair's, so that an
/// interrupt does not look like a state. Both ranks spin for it; where they share a core the one that waits
/// holds it, and the probe is unknown.
class CoreProbe : public StateProbe {
 public:
  explicit CoreProbe(Runtime const& runtime);  ///< collective
  ~CoreProbe() override;
  CoreProbe(CoreProbe const&) = delete;
  CoreProbe& operator=(CoreProbe const&) = delete;

  double measure() override;
  /// Whether most of a few trials gave a value: not with one rank a node, nor where ranks share cores.
  bool works();

 private:
  struct Pair;
  double lead(Pair& pair) const;
  void follow(Pair& pair) const;

  Runtime const& runtime_;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0, ranks_ = 1;       // of the node
  Pair* with_next_ = nullptr;      // this rank leads
  Pair* with_previous_ = nullptr;  // the rank before leads
  std::uint64_t begun_ = 0;        // probes so far
};

/// The probe of a run, or null where there is none: all-reduces that are replayed, one rank, more threads
/// than cores, or a CoreProbe that does not work. In a build for a device, whose clocks say more than the
/// cores of the host, it is a ClockProbe; null where there is no NVML. Collective.
std::unique_ptr<StateProbe> make_state_probe(Runtime const& runtime, bool reduces);

}  // namespace ddproxy
