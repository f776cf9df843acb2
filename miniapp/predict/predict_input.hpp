// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/options/options.hpp"
#include "miniapp/input/workload.hpp"
#include "model/predict/timeline.hpp"

namespace ddproxy {

/// The job to predict, without the network that it runs on.
struct PredictInput {
  std::string name;   ///< name of the model or of the file, for messages
  Config config;      ///< caps, first bucket, strategies; from an input file also model and machine
  Workload workload;  ///< its operation_seconds are never empty
  model::Contention contention;
  model::Copies copies;
  std::vector<std::string> warnings = {};  ///< warnings about the options

  /// Returns the job on a network. `cost` is a(x), the seconds of an all-reduce of x bytes on the wire.
  model::Job job(model::AllreduceCost cost) const;
};

/// Reads the job from an input file, or from the CSV files of gradients or layers. Throws
/// std::invalid_argument if a file is wrong, if options contradict each other, or if the seconds of the
/// operators are unknown, because neither a file nor a roofline gives them.
PredictInput read_predict_input(Options const& options);

}  // namespace ddproxy
