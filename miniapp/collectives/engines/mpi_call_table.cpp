// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_call_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ddproxy {

MpiCallTable::MpiCallTable(std::vector<std::int64_t> const& bytes, std::vector<bool> const& blocking) {
  if (bytes.empty() || bytes.size() != blocking.size())
    throw std::invalid_argument("a table of MPI calls needs one MPI call for each of its sizes");
  ranges_.push_back({0, blocking.front()});
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (blocking[i] == ranges_.back().blocking) continue;
    const double between = std::sqrt(static_cast<double>(bytes[i - 1]) * static_cast<double>(bytes[i]));
    ranges_.push_back({std::llround(between), blocking[i]});
  }
}

bool MpiCallTable::blocking(std::int64_t bytes) const {
  bool blocking = false;
  for (auto const& range : ranges_)
    if (bytes >= range.from) blocking = range.blocking;
  return blocking;
}

bool MpiCallTable::ever_blocking() const {
  return std::ranges::any_of(ranges_, &Range::blocking);
}

std::string MpiCallTable::description() const {
  std::string text;
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    text += ranges_[k].blocking ? "blocking" : "nonblocking";
    if (k > 0) text += fmt::format(" from {}", ranges_[k].from);
    if (k + 1 < ranges_.size())
      text += fmt::format("{} {} bytes, ", k > 0 ? " to" : " below", ranges_[k + 1].from - (k > 0 ? 1 : 0));
  }
  return ranges_.size() == 1 ? text : text + " bytes on";
}

}  // namespace ddproxy
