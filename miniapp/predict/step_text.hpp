// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "miniapp/predict/step_prediction.hpp"

namespace ddproxy {

/// Returns the text of a predicted step for people: what the step consists of, one row for each case in
/// milliseconds, and the memory. A hypothetical step is labelled in the first line and by
/// hypothetical_note().
std::string describe(StepPrediction const& step);

/// Returns the same with the keys of docs/predict.md, in seconds and bytes.
nlohmann::ordered_json step_json(StepPrediction const& step);

}  // namespace ddproxy
