// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

std::vector<CollectiveCall> const& CompiledStep::collectives(std::size_t lane) const {
  static const std::vector<CollectiveCall> none;
  return lane < collectives_.size() ? collectives_[lane] : none;
}

std::vector<Clock::time_point> CompiledStep::operator_ends() const {
  std::vector<Clock::time_point> ends;
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (launches_[i].kind == Launch::Kind::compute) ends.push_back(moment_of(ends_[i]));
  return ends;
}

}  // namespace ddproxy
