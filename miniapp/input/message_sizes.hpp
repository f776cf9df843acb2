// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ddproxy {

/// Returns rising message sizes in bytes, from 1 KiB to `largest`. Up to 64 KiB each size is four times the
/// previous one, and above that twice the previous one. The last size is always `largest`. It may be less
/// than four or two times the previous size, and above 64 KiB up to three times. If `largest` is at most 1
/// KiB, it is the only size.
std::vector<std::int64_t> message_sizes(std::int64_t largest);

/// Returns the sizes rounded up to multiples of `multiple` bytes, rising and without duplicates. A size that
/// would exceed `largest` is rounded down instead.
std::vector<std::int64_t> rounded_sizes(std::vector<std::int64_t> sizes, std::int64_t multiple,
                                        std::int64_t largest);

}  // namespace ddproxy
