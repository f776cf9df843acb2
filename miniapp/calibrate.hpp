// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/workbench.hpp"
#include "model/contention.hpp"

namespace ddproxy {

/// Compute and all-reduces of one message size, alone and beside each other; a value a sample, seconds,
/// maximum over ranks.
struct CoRun {
  std::int64_t bytes = 0;
  std::vector<double> compute_alone, collective_alone;    ///< the same work as beside each other
  std::vector<double> compute_beside, collective_beside;  ///< until each was over, started together
};

/// kappa and gamma that make the fluid of model/timeline.hpp reproduce a co-run: while both run, compute
/// advances at kappa and the collective at gamma, and whichever is left runs at full speed. Within (0, 1].
model::Speeds speeds_of(double compute_alone, double collective_alone, double compute_beside,
                        double collective_beside);

/// Median over the samples.
model::Speeds speeds_of(CoRun const& run);

/// Those of each sample.
model::SpeedSamples samples_of(CoRun const& run);

/// Runs the linear operations of the block that comes first in the backward pass beside back-to-back
/// all-reduces of gradients that they do not write, at six message sizes from that of the smallest gradient
/// to 64 MiB, as much of both as takes the same time. Nothing of the cases to be predicted runs. `samples`:
/// the most of a size; long ones have fewer, three at least. Collective; the same on all ranks; empty where
/// compute is replayed, because nothing is contended for there.
std::vector<CoRun> calibrate(Workbench& bench, int samples);

/// Bytes of gradients that this machine copies per second between gradients and buckets, as one rank of all
/// that copy at once: the slowest. Needs bench.copying. Collective.
double measure_copy_bandwidth(Workbench& bench, int samples);

}  // namespace ddproxy
