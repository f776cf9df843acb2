// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ddproxy {

/// Smaller arrays are not counted. Streams of the standard library allocate such arrays.
inline constexpr std::size_t large_array_bytes = 32768;

/// Starts to count the bytes of large arrays that operator new[] allocates, on all threads. The program must
/// be linked with large_arrays.cpp, which defines operator new[].
void count_large_arrays();

/// Stops counting. Returns the bytes since count_large_arrays().
std::size_t counted_large_arrays();

}  // namespace ddproxy
