// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "miniapp/collectives/drivers/allreduce.hpp"

namespace ddproxy {

/// Names a bucket, counted from 0 as they are started, in a text that is used again: nothing is allocated
/// while time is measured.
void name_call(std::string& text, std::size_t bucket, Slice slice);

/// What is said of a bucket that takes too long, and of a call that name_call() named: with what the rank was
/// doing (miniapp/errors/step_name.hpp).
std::string over_time_limit(std::size_t bucket, Slice slice, double timeout_s);
std::string over_time_limit(std::string_view call, double timeout_s);

/// Throws std::runtime_error, naming rank, bucket and elements, where a reduction under way began longer ago
/// than allreduce.timeout_s allows.
void check_time_limit(Reduction const& reduction, std::size_t bucket, int rank, double timeout_s);

}  // namespace ddproxy
