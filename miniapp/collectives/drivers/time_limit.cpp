// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/time_limit.hpp"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

#include "miniapp/errors/step_name.hpp"

namespace ddproxy {

void name_bucket(std::string& text, std::size_t bucket, Slice slice) {
  text.clear();
  fmt::format_to(std::back_inserter(text), "the all-reduce of bucket {} (elements {} to {})", bucket,
                 slice.offset, slice.end() - 1);
}

std::string over_time_limit(std::size_t bucket, Slice slice, double timeout_s) {
  std::string text;
  name_bucket(text, bucket, slice);
  return over_time_limit(text, timeout_s);
}

std::string over_time_limit(std::string_view name, double timeout_s) {
  const auto step = noted_step();
  return fmt::format("{} is not complete after {} s (allreduce.timeout_s){}{}", name, timeout_s,
                     step.empty() ? "" : ", while ", step);
}

void check_time_limit(ReducedBucket const& begun, std::size_t bucket, int rank, double timeout_s) {
  if (std::chrono::duration<double>(Clock::now() - begun.start).count() <= timeout_s) return;
  throw std::runtime_error(fmt::format("rank {}: {}", rank, over_time_limit(bucket, begun.slice, timeout_s)));
}

}  // namespace ddproxy
