// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/cost/contention.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The samples of a co-run: compute and all-reduces of one message size, each alone and both at the same
/// time. All times are [sample] in seconds, the maximum over the ranks.
struct ContentionSample {
  std::int64_t bytes = 0;                                 ///< of one all-reduce, in fp32
  std::vector<double> compute_alone, collective_alone;    ///< the same work as in the next two
  std::vector<double> compute_beside, collective_beside;  ///< both started together, until each ended
  std::int64_t calls = 1;                                 ///< all-reduces of a sample
  double call_seconds = 0;                                ///< a(x) of one all-reduce; 0: unknown
  int repetitions = 1;                                    ///< of the operations in a sample
  model::Probes probes = {};                              ///< of the machine's state, the same on all ranks
};

/// Returns kappa and gamma of a co-run, each limited to the range from 0.001 to 1. The arguments are seconds.
///
/// The model is the fluid simulation of model/predict/timeline.hpp: while both run, compute advances at speed
/// kappa and the collective at speed gamma; what is left then runs alone at speed 1. With together =
/// min(compute_beside, collective_beside), the time in which both run,
///     kappa = (compute_alone - (compute_beside - together)) / together
///     gamma = (collective_alone - (collective_beside - together)) / together
model::Speeds speeds_of(double compute_alone, double collective_alone, double compute_beside,
                        double collective_beside);

/// Returns the medians of kappa and gamma over the samples.
model::Speeds speeds_of(ContentionSample const& run);

/// Returns kappa and gamma of each sample. If a(x) is known, gamma is computed from calls x a(x) instead of
/// collective_alone. The model, which also uses a(x), then predicts the time that was measured beside
/// compute, whatever the few calls alone took.
model::SpeedSamples samples_of(ContentionSample const& run);

/// Returns a line of text for users that names the message sizes at which compute or the all-reduces hardly
/// progressed. Empty if there are none. If a blocking call shares a core with compute, compute is expected to
/// stop, so a low kappa alone is not reported for it. `wire` is the format in which the all-reduces sent.
std::string standstill(std::vector<ContentionSample> const& runs, CallChoice const& choice,
                       WireFormat wire = WireFormat::fp32);

}  // namespace ddproxy
