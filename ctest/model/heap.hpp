// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace ddproxy {

/// Calls `run`, and returns the largest number of bytes that it had allocated with operator new at one time.
/// The program must be linked with heap.cpp, and no other thread may run.
std::size_t heap_peak(std::function<void()> const& run);

}  // namespace ddproxy
