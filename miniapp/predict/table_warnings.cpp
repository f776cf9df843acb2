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
      "some all-reduces of the table take less time than smaller ones (noise, or the library changes its "
      "algorithm), but the model needs times that never fall as bytes grow. It uses the running maximum of "
      "the times instead, which is at most {:.3g} % above the table. If that is too much, measure these "
      "sizes again with more samples",
      100 * cost.raised_by());
}

void Extrapolation::look(std::string const& name, model::Plan const& plan) {
  bool outside = false;
  for (model::Bucket const& bucket : plan) {
    const auto bytes = wire_bytes(bucket.bytes, wire_);
    if (bytes >= table_.front().bytes && bytes <= table_.back().bytes) continue;
    smallest_ = outside || !names_.empty() ? std::min(smallest_, bytes) : bytes;
    largest_ = std::max(largest_, bytes);
    outside = true;
  }
  if (outside) names_.push_back(name);
}

std::string Extrapolation::warning() const {
  if (names_.empty()) return "";
  const std::string sizes = smallest_ == largest_ ? fmt::format("{} bytes", largest_)
                                                  : fmt::format("{} and {} bytes", smallest_, largest_);
  return fmt::format(
      "the all-reduce table covers {} to {} bytes, and the times of other sizes are extrapolated. So T and E "
      "of these cases are less certain: {}. Add the times of {} to the table",
      table_.front().bytes, table_.back().bytes, fmt::join(names_, ", "), sizes);
}

}  // namespace ddproxy
