// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/table_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {

std::string fall_warning(model::TableCost const& cost) {
  if (!cost.was_made_monotone()) return "";
  return fmt::format(
      "the table is not monotonic (seconds fall as bytes grow); its running maximum is used, at most {:.3g} "
      "% above the table",
      100 * cost.raised_by());
}

std::string extrapolation_warning(std::vector<std::string> const& cases,
                                  std::span<const model::CostPoint> table) {
  if (cases.empty()) return "";
  return fmt::format(
      "the all-reduce table covers {} to {} bytes. T and E of these are less certain, because the times of "
      "their smaller or larger buckets are extrapolated: {}. Add these sizes to the table",
      table.front().bytes, table.back().bytes, fmt::join(cases, ", "));
}

bool reaches_beyond(model::Plan const& plan, std::span<const model::CostPoint> table, WireFormat wire) {
  return std::ranges::any_of(plan, [&](model::Bucket const& bucket) {
    const auto bytes = wire_bytes(bucket.bytes, wire);
    return bytes < table.front().bytes || bytes > table.back().bytes;
  });
}

}  // namespace ddproxy
