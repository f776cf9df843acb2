// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/verb_costs.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/step/step_context.hpp"

namespace ddproxy {

/// The times of one verb (the kind of a collective) over the groups of one communicator.
struct VerbTimes {
  VerbKey key;
  int ranks = 1;  ///< number of ranks of a group
  std::vector<SizeTimes> times;
  int nodes = 0;  ///< on rank 0: the largest number of nodes on which the ranks of a group are
};

/// The tables about collectives from which a whole step is predicted.
struct StepTables {
  /// a(x), x in bytes on the wire. Empty if all-reduces are replayed.
  std::vector<SizeTimes> allreduce;
  std::vector<ContentionSample> contention = {};  ///< contention runs of backward operators and all-reduces
  /// Of a sharded step: the tables of all verbs that it uses, on each communicator. None if collectives are
  /// replayed, or if the step is not sharded.
  std::vector<VerbTimes> verbs = {};

  /// Returns a function that looks up the cost table of a verb on a communicator: the medians in `verbs`. The
  /// function returns nothing for a verb that was not measured. It keeps no reference to this object.
  VerbTables measured() const;
};

/// Measures a(x) at the sizes of message_sizes() (miniapp/input/message_sizes.hpp) and, if the step is not
/// sharded, at the sizes of its buckets. Also measures kappa and gamma, the speeds of compute and all-reduces
/// that run at the same time. For a sharded step it measures each verb of the step on the step's own lanes,
/// too; all groups of a communicator communicate at the same time. Runs no step. Overwrites gradients and
/// activations, and in a sharded step also parameters and the optimizer's state. Throws as the constructor of
/// ContentionRounds (calibrate.hpp) does. If a signal arrives later, returns early with the samples so far.
/// Collective.
StepTables calibrate_step(StepContext& context);

}  // namespace ddproxy
