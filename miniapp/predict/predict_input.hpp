// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/workload.hpp"
#include "miniapp/options/options.hpp"
#include "model/predict/timeline.hpp"

namespace ddproxy {

/// The job to predict, without its network.
struct PredictInput {
  std::string name;   ///< of the model or of the file, for messages
  Config config;      ///< caps, first bucket, strategies; with an input file also the model and the machine
  Workload workload;  ///< always has the seconds of the operators
  model::Contention contention;
  model::Copies copies;
  std::vector<std::string> warnings = {};  ///< about the options

  /// Returns the job on a network whose all-reduce of x bytes on the wire costs a(x).
  model::Job job(model::AllreduceCost cost) const;
};

/// Reads the job from an input file, or from the CSV files of gradients or layers. Throws
/// std::invalid_argument if the seconds of the operators are neither measured nor follow from a roofline, and
/// for options that contradict each other.
PredictInput read_predict_input(Options const& options);

}  // namespace ddproxy
