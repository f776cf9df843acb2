// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "miniapp/collectives/drivers/allreduce.hpp"

namespace ddproxy {

/// Names a bucket, counted from 0 as they are started, in a text that is used again: nothing is allocated
/// while time is measured.
void name_bucket(std::string& text, std::size_t bucket, Slice slice);

/// Says that a bucket takes too long, and what the rank was doing meanwhile; `name` is by name_bucket()
/// (miniapp/errors/step_name.hpp).
std::string over_time_limit(std::size_t bucket, Slice slice, double timeout_s);
std::string over_time_limit(std::string_view name, double timeout_s);

/// Throws std::runtime_error, naming rank, bucket and elements, where a bucket was begun longer ago than
/// allreduce.timeout_s allows.
void check_time_limit(ReducedBucket const& begun, std::size_t bucket, int rank, double timeout_s);

}  // namespace ddproxy
