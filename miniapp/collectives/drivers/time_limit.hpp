// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Names a collective, counted from 0 as they are started, in a text that is used again: nothing is allocated
/// where it has room. An all-reduce is named by its bucket: "the all-reduce of bucket 3 (elements 0 to 99)".
void name_call(std::string& text, std::size_t number, CollectiveCall const& call);

/// Says that a collective takes too long, and what the rank was doing meanwhile; `name` is by name_call()
/// where the collective is to be named before it hangs.
std::string over_time_limit(std::size_t number, CollectiveCall const& call, double timeout_s);
std::string over_time_limit(std::string_view name, double timeout_s);

/// Throws std::runtime_error, naming rank, collective and elements, where it was begun longer ago than
/// `timeout_s` seconds.
void check_time_limit(FinishedCall const& begun, std::size_t number, int rank, double timeout_s);

}  // namespace ddproxy
