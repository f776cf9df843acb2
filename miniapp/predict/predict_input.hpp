// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/workload.hpp"
#include "miniapp/options/options.hpp"
#include "model/predict/timeline.hpp"

namespace ddproxy {

/// What is to be predicted, without its network.
struct PredictInput {
  std::string name;   ///< of the model or the file, for people
  Config config;      ///< caps, first bucket, strategies; of an input file also the model and the machine
  Workload workload;  ///< always with the operations' seconds
  model::Contention contention;
  model::Copies copies;
  std::vector<std::string> warnings = {};  ///< of what was asked for

  /// The job on a network that does a(x).
  model::Job job(model::AllreduceCost cost) const;
};

/// From an input file, or from the CSV files of gradients or layers. Throws std::invalid_argument where the
/// seconds are neither measured nor to be modelled, and for options that do not fit.
PredictInput read_predict_input(Options const& options);

}  // namespace ddproxy
