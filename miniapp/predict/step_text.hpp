// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "miniapp/predict/step_prediction.hpp"

namespace ddproxy {

/// Returns a predicted step as text for people to read: the parts of the step, one row for each case with
/// times in milliseconds, and the memory. If the step does not fit the device, the text begins with
/// "hypothetical" and ends with hypothetical_note() (step_prediction.hpp).
std::string describe(StepPrediction const& step);

/// Returns a predicted step as JSON, with the keys of docs/predict.md, in seconds and bytes.
nlohmann::ordered_json step_json(StepPrediction const& step);

}  // namespace ddproxy
