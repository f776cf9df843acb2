// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/app/tables.hpp"
#include "model/cost/topology.hpp"
#include "model/statistics/quantile.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

// Returns "4 ranks", "2 groups of 2 ranks at the same time", or "2 groups of 2 ranks (rank numbers 2 apart)
// at the same time".
std::string text_of(Grouping groups) {
  const auto ranks = model::ranks_text(groups.ranks);
  const auto apart = groups.stride == 1 ? "" : fmt::format(" (rank numbers {} apart)", groups.stride);
  return groups.groups == 1 ? ranks
                            : fmt::format("{} groups of {}{} at the same time", groups.groups, ranks, apart);
}

}  // namespace

std::string collectives_table(std::vector<SizeTimes> const& rows, Grouping groups, bool replayed) {
  std::string text =
      fmt::format("collectives, {}{}\n{:<14} {:>14} {:>12} {:>12} {:>12} {:>11} {:>11} {:>8} {:>7}\n",
                  text_of(groups), replayed ? ", replay: from a table, not measured" : "", "collective",
                  "bytes", "median us", "min us", "max us", "algbw GB/s", "busbw GB/s", "samples", "wrong");
  for (auto const& row : rows)
    text += fmt::format("{:<14} {:>14} {:>12.1f} {:>12.1f} {:>12.1f} {:>11.3f} {:>11.3f} {:>8} {:>7}\n",
                        model::name_of(row.verb), row.bytes, model::median(row.seconds) * 1e6,
                        std::ranges::min(row.seconds) * 1e6, std::ranges::max(row.seconds) * 1e6,
                        algorithm_bandwidth(row) / 1e9, bus_bandwidth(row, groups.ranks) / 1e9,
                        row.seconds.size(), row.wrong < 0 ? "-" : std::to_string(row.wrong));
  return text;
}

std::string collective_pieces_table(std::vector<SizeTimes> const& rows, std::int64_t total, Grouping groups) {
  std::string text =
      fmt::format("{} bytes moved in pieces, {}\n{:<14} {:>14} {:>10} {:>12} {:>12}\n", total,
                  text_of(groups), "collective", "piece bytes", "pieces", "median ms", "algbw GB/s");
  for (auto const& row : rows) {
    const double seconds = model::median(row.seconds);
    text += fmt::format("{:<14} {:>14} {:>10} {:>12.3f} {:>12.3f}\n", model::name_of(row.verb), row.bytes,
                        (total + row.bytes - 1) / row.bytes, seconds * 1e3,
                        static_cast<double>(total) / seconds / 1e9);
  }
  return text;
}

std::string collectives_csv(std::vector<SizeTimes> const& rows, Grouping groups, bool replayed) {
  std::string text = replayed ? "# replay: from a table, not measured\n" : "";
  if (groups.groups > 1) text += fmt::format("# {}\n", text_of(groups));
  text +=
      "# median seconds of one collective of the full size; a sample is the mean of several calls in a row, "
      "maximum over ranks\n"
      "verb,ranks,bytes,seconds,nodes\n";
  for (auto const& row : rows)
    text += fmt::format("{},{},{},{:.9g},{}\n", model::name_of(row.verb), groups.ranks, row.bytes,
                        model::median(row.seconds), groups.nodes);
  return text;
}

}  // namespace ddproxy
