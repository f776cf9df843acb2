// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace ddproxy {

/// Returns the most bytes that `run` had allocated with operator new at one time. The program must be linked
/// with heap.cpp, and no other thread may run.
std::size_t heap_peak(std::function<void()> const& run);

}  // namespace ddproxy
