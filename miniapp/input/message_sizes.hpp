// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ddproxy {

/// Returns rising message sizes from 1 KiB to `largest` bytes. Up to 64 KiB each size is four times the
/// previous one. Above that it is twice the previous one, but the last step may be a factor of up to three.
std::vector<std::int64_t> message_sizes(std::int64_t largest);

/// Returns the sizes rounded up to multiples of `multiple` bytes, rising and without duplicates. A size that
/// would exceed `largest` is rounded down instead.
std::vector<std::int64_t> rounded_sizes(std::vector<std::int64_t> sizes, std::int64_t multiple,
                                        std::int64_t largest);

}  // namespace ddproxy
