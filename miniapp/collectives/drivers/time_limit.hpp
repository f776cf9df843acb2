// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Assigns the name of a collective to `text`, for example "the all-reduce of bucket 3 (elements 0 to 99)".
/// `number` is the index of the collective in the step, from 0, in the order of issue. Allocates nothing if
/// the capacity of `text` suffices, so reuse the text.
void name_call(std::string& text, std::size_t number, CollectiveCall const& call);

/// Returns the message for a collective that takes longer than `timeout_s` seconds. The message also says
/// what the rank was doing (noted_step() in miniapp/errors/step_name.hpp).
std::string over_time_limit(std::size_t number, CollectiveCall const& call, double timeout_s);

/// Throws std::runtime_error if the collective `begun` started more than `timeout_s` seconds ago. The message
/// names the rank, the collective and its elements.
void check_time_limit(FinishedCall const& begun, std::size_t number, int rank, double timeout_s);

}  // namespace ddproxy
