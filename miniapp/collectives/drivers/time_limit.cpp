// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/time_limit.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

#include "miniapp/errors/step_name.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {

void name_call(std::string& text, std::size_t number, CollectiveCall const& call) {
  const Slice full = full_slice(call);
  const auto to = std::back_inserter(text);
  text.clear();
  if (call.verb == model::Verb::all_reduce)
    fmt::format_to(to, "the all-reduce of bucket {}", number);
  else
    fmt::format_to(to, "collective {} of the step, {}", number, model::name_of(call.verb));
  fmt::format_to(to, " (elements {} to {})", full.offset, full.end() - 1);
}

std::string over_time_limit(std::size_t number, CollectiveCall const& call, double timeout_s) {
  std::string text;
  name_call(text, number, call);
  const auto step = noted_step();
  return fmt::format(
      "{} is not complete after {} s (allreduce.timeout_s){}{}. Another rank or a device has stopped, or is "
      "slow. If it is only slow, raise the limit",
      text, timeout_s, step.empty() ? "" : ", while ", step);
}

void check_time_limit(FinishedCall const& begun, std::size_t number, int rank, double timeout_s) {
  if (seconds_since(begun.start) <= timeout_s) return;
  throw std::runtime_error(fmt::format("rank {}: {}", rank, over_time_limit(number, begun.call, timeout_s)));
}

}  // namespace ddproxy
