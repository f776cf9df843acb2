// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Assigns the name of a collective to `text`, for example "the all-reduce of bucket 3 (elements 0 to 99)".
/// `number` counts the collectives of a step from 0, in the order in which they are started. Allocates
/// nothing if `text` has enough capacity, so a text can be reused.
void name_call(std::string& text, std::size_t number, CollectiveCall const& call);

/// Returns a message that a collective takes longer than `timeout_s` seconds, and what the rank was doing
/// meanwhile.
std::string over_time_limit(std::size_t number, CollectiveCall const& call, double timeout_s);
/// Returns the same message for a collective whose name was made by name_call() before it hung.
std::string over_time_limit(std::string_view name, double timeout_s);

/// Throws std::runtime_error, which names rank, collective and elements, if the collective `begun` started
/// more than `timeout_s` seconds ago.
void check_time_limit(FinishedCall const& begun, std::size_t number, int rank, double timeout_s);

}  // namespace ddproxy
