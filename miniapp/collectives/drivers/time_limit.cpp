// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/time_limit.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

#include "miniapp/errors/step_name.hpp"

namespace ddproxy {

void name_call(std::string& text, std::size_t bucket, Slice slice) {
  text.clear();
  fmt::format_to(std::back_inserter(text), "the all-reduce of bucket {} (elements {} to {})", bucket,
                 slice.offset, slice.offset + slice.count - 1);
}

std::string over_time_limit(std::size_t bucket, Slice slice, double timeout_s) {
  std::string text;
  name_call(text, bucket, slice);
  return over_time_limit(text, timeout_s);
}

std::string over_time_limit(std::string_view call, double timeout_s) {
  const auto step = noted_step();
  return fmt::format("{} is not complete after {} s (allreduce.timeout_s){}{}", call, timeout_s,
                     step.empty() ? "" : ", while ", step);
}

void check_time_limit(Reduction const& reduction, std::size_t bucket, int rank, double timeout_s) {
  if (std::chrono::duration<double>(Clock::now() - reduction.start).count() <= timeout_s) return;
  throw std::runtime_error(
      fmt::format("rank {}: {}", rank, over_time_limit(bucket, reduction.slice, timeout_s)));
}

}  // namespace ddproxy
