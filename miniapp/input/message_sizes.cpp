// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/message_sizes.hpp"

#include <algorithm>

namespace ddproxy {

std::vector<std::int64_t> message_sizes(std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  const std::int64_t doubling = 65536;
  std::int64_t size = 1024;
  for (; size < std::min(doubling, largest); size *= 4) sizes.push_back(size);
  // The last size may be up to three times the previous one. A size between them is left out, because a(x) is
  // nearly linear there and these calls take longest.
  for (; size < largest && (size == doubling || 3 * size <= 2 * largest); size *= 2) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

std::vector<std::int64_t> rounded_sizes(std::vector<std::int64_t> sizes, std::int64_t multiple,
                                        std::int64_t largest) {
  for (auto& bytes : sizes)
    bytes = std::min((bytes + multiple - 1) / multiple, largest / multiple) * multiple;
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

}  // namespace ddproxy
