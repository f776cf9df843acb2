// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ddproxy {

/// The clock of all times that are measured on the host.
using Clock = std::chrono::steady_clock;

}  // namespace ddproxy
