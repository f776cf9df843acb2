// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

/// Returns the present time as ISO 8601 in UTC, for instance "2026-11-23T12:00:00Z".
std::string utc_time_now();

}  // namespace ddproxy::results
