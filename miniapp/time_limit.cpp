// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/time_limit.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ddproxy {

void check_time_limit(Reduction const& reduction, int rank, double timeout_s) {
  if (std::chrono::duration<double>(Clock::now() - reduction.start).count() <= timeout_s) return;
  auto const& slice = reduction.slice;
  throw std::runtime_error(fmt::format(
      "rank {}: the all-reduce of elements {} to {} is not complete after {} s (allreduce.timeout_s)", rank,
      slice.offset, slice.offset + slice.count - 1, timeout_s));
}

}  // namespace ddproxy
