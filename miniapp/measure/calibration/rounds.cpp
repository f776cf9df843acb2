// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/rounds.hpp"

#include <algorithm>

namespace ddproxy {

int calibration_rounds(int samples) {
  constexpr int least = 3, most = 6;  // fewer rounds do not show how much the speed of the machine drifts
  return std::clamp(samples, least, most);
}

int opening_rounds(int rounds) {
  return (rounds + 2) / 3;
}

int samples_of_round(int samples, int round, int rounds) {
  const auto before = [&](int k) { return (samples * k + rounds - 1) / rounds; };
  return before(round + 1) - before(round);
}

}  // namespace ddproxy
