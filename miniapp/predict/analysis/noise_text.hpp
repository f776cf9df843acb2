// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy {

/// A time with its 95 % interval, in seconds, and its name for messages, for instance "T of flat".
struct NamedTime {
  std::string name;
  model::Estimate time;
};

/// Returns a warning in one line if the 95 % interval of one of the times is wider than half of its median.
/// The line names the time whose interval is the widest in relation to its median, and says how many more
/// times have such wide intervals. Returns an empty text if there is no such time. A time of one sample has
/// no interval, so there is no warning about it. `threads_spin`: whether a rank has several threads that spin
/// while they wait. The line then also says how to make them sleep.
std::string noise_warning(std::vector<NamedTime> const& times, bool threads_spin);

}  // namespace ddproxy
