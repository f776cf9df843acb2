// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace ddproxy {

/// The most bytes that `run` had from operator new at once. The whole program must be built with heap.cpp,
/// and `run` be the only thread.
std::size_t heap_peak(std::function<void()> const& run);

}  // namespace ddproxy
