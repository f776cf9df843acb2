// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/table_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {

std::string fall_warning(std::span<const model::CostPoint> table, std::filesystem::path const& file) {
  auto highest = table.begin(), from = table.end(), to = table.end();
  double most = 0;
  for (auto point = table.begin(); point != table.end(); ++point) {
    if (point->seconds >= highest->seconds) highest = point;
    const double fall = highest->seconds / point->seconds - 1;
    if (!(fall > most)) continue;
    most = fall;
    from = highest;
    to = point;
  }
  if (from == table.end()) return "";
  const std::string remedy =
      file.empty() ? "measure the all-reduces again with a larger number in [sweep] samples"
                   : fmt::format("correct these rows of {}, or measure the table again (`ddproxy allreduce`)",
                                 file.string());
  return fmt::format(
      "{}all-reduce times fall as bytes grow, most of all from {:.4g} us at {} bytes to {:.4g} us at {} "
      "bytes (noise, or the library changes its algorithm). The model needs times that never fall, so it "
      "uses their running maximum: predicted all-reduces of some sizes take up to {:.3g} % longer than in "
      "the table. If T and E must be more exact, {}",
      file.empty() ? "" : file.string() + ": ", from->seconds * 1e6, from->bytes, to->seconds * 1e6,
      to->bytes, 100 * most, remedy);
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

std::string Extrapolation::warning(std::filesystem::path const& file) const {
  if (names_.empty()) return "";
  const std::string sizes = smallest_ == largest_ ? fmt::format("{} bytes", largest_)
                                                  : fmt::format("{} and {} bytes", smallest_, largest_);
  return fmt::format(
      "the all-reduce table covers {} to {} bytes, and the times of other sizes are extrapolated. So T and E "
      "of the following are less certain: {}. To improve this, measure all-reduces of {}{}",
      table_.front().bytes, table_.back().bytes, fmt::join(names_, ", "), sizes,
      file.empty() ? "" : " and add rows to " + file.string());
}

}  // namespace ddproxy
