// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/collectives/make_allreduce.hpp"
#include "model/cost/contention.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Compute and all-reduces of one message size, alone and beside each other; a value a sample, seconds,
/// maximum over ranks.
struct ContentionSample {
  std::int64_t bytes = 0;
  std::vector<double> compute_alone, collective_alone;    ///< the same work as beside each other
  std::vector<double> compute_beside, collective_beside;  ///< until each was over, started together
  std::int64_t calls = 1;                                 ///< all-reduces of a sample
  double call_seconds = 0;                                ///< a(x) of one; 0: not known
  int repetitions = 1;                                    ///< of the operations of a sample
  model::Probes probes = {};                              ///< of the machine's state, the same on all ranks
};

/// kappa and gamma that make the fluid of model/predict/timeline.hpp reproduce a co-run: while both run,
/// compute advances at kappa and the collective at gamma, and whichever is left runs at full speed. Within
/// (0, 1].
model::Speeds speeds_of(double compute_alone, double collective_alone, double compute_beside,
                        double collective_beside);

/// Median over the samples.
model::Speeds speeds_of(ContentionSample const& run);

/// Those of each sample. gamma is that of a(x) where it is known: what is predicted from both is then the
/// time that was measured beside compute, whatever the few calls alone took.
model::SpeedSamples samples_of(ContentionSample const& run);

/// What casts doubt on them, in a line: the sizes at which one of both hardly moved. Empty where none did. A
/// blocking call that shares a core with compute may stop it: that is expected, and no size to name.
std::string standstill(std::vector<ContentionSample> const& runs, CallChoice const& choice);

}  // namespace ddproxy
