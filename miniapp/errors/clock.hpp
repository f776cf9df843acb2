// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ddproxy {

/// What everything on the host is timed with.
using Clock = std::chrono::steady_clock;

}  // namespace ddproxy
