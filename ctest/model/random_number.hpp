// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

namespace ddproxy::model {

/// Returns a random whole number from `low` to `high`, both included. All are equally likely.
inline int number(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

}  // namespace ddproxy::model
