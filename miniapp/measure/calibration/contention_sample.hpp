// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/cost/contention.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The samples of a contention run (calibrate.hpp): compute and all-reduces of one message size, each alone
/// and both at the same time. Each vector has one time for each sample, in seconds: the maximum over the
/// ranks.
struct ContentionSample {
  std::int64_t bytes = 0;                               ///< bytes of one all-reduce in fp32
  std::vector<double> compute_alone, collective_alone;  ///< time of the work when it runs alone
  /// Time of the same work when both start together: from the common start to the end of each.
  std::vector<double> compute_beside, collective_beside;
  std::int64_t calls = 1;     ///< number of all-reduces in a sample
  double call_seconds = 0;    ///< a(x) of one all-reduce, seconds; 0: unknown
  int repetitions = 1;        ///< how often a sample runs the operations
  model::Probes probes = {};  ///< probes of the machine's state, the same on all ranks
};

/// Returns kappa and gamma of a contention run, each limited to the range from 0.001 to 1. The arguments are
/// seconds.
///
/// The model is the fluid simulation of model/predict/timeline.hpp. While both run, compute advances at speed
/// kappa and the collective at speed gamma. When one of them has ended, the rest of the other runs alone at
/// speed 1. Both run for a time `together` = min(compute_beside, collective_beside). Therefore
///     kappa = (compute_alone - (compute_beside - together)) / together
///     gamma = (collective_alone - (collective_beside - together)) / together
model::Speeds speeds_of(double compute_alone, double collective_alone, double compute_beside,
                        double collective_beside);

/// Returns the medians of kappa and gamma over the samples.
model::Speeds speeds_of(ContentionSample const& run);

/// Returns kappa and gamma of each sample. If a(x) is known (run.call_seconds), computes gamma from the
/// product calls * call_seconds in place of collective_alone. Reason: in the model, gamma is relative to the
/// speed that a(x) gives. With this gamma the model predicts the time that was measured while compute ran,
/// even if collective_alone differs from this product.
model::SpeedSamples samples_of(ContentionSample const& run);

/// Returns a line of text for users that names the message sizes at which compute or the all-reduces made
/// hardly any progress. Returns an empty text if there are none. A blocking MPI call that shares a core with
/// compute is expected to stop compute, so a low kappa alone is not reported for it. `wire` is the wire
/// format of the all-reduces. `tightest` has the threads and cores of the rank with the fewest cores for
/// communication; the advice in the text depends on them. `tightest` has no value if the ranks compute on
/// devices.
std::string standstill(std::vector<ContentionSample> const& runs, MpiCallChoice const& choice,
                       WireFormat wire, std::optional<ThreadChoice> const& tightest);

}  // namespace ddproxy
