// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"
#include "model/statistics/quantile.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

Texts verbs_of(std::vector<SizeTimes> const& rows) {
  return column<Texts>(rows, [](auto& row) { return std::string(model::name_of(row.verb)); });
}

}  // namespace

void Recorder::collectives(std::vector<SizeTimes> const& rows, Grouping groups) {
  collectives(rows, std::vector<Grouping>(rows.size(), groups));
}

void Recorder::collectives(std::vector<SizeTimes> const& rows, std::vector<Grouping> const& groups) {
  const auto [seconds, extents] = matrix(rows, &SizeTimes::seconds);
  writer_.write("/collectives/verb", verbs_of(rows));
  writer_.write("/collectives/ranks", column<Integers>(groups, &Grouping::ranks));
  writer_.write("/collectives/groups", column<Integers>(groups, &Grouping::groups));
  writer_.write("/collectives/nodes", column<Integers>(groups, &Grouping::nodes));
  writer_.write("/collectives/bytes", column<Integers>(rows, &SizeTimes::bytes));
  writer_.write("/collectives/seconds", seconds, extents);
  writer_.write("/collectives/wrong_elements", column<Integers>(rows, &SizeTimes::wrong));
  write_probes(writer_, "/collectives/", column<std::vector<model::Probes>>(rows, &SizeTimes::probes),
               extents[1]);
}

void Recorder::collective_figures(std::vector<SizeTimes> const& rows, int ranks) {
  const auto write = [&](char const* name, auto value_of) {
    writer_.write(std::string("/collectives/") + name, column<Reals>(rows, value_of));
  };
  write("median", [](auto& row) { return model::median(row.seconds); });
  write("min", [](auto& row) { return std::ranges::min(row.seconds); });
  write("max", [](auto& row) { return std::ranges::max(row.seconds); });
  write("algbw", [](auto& row) { return algorithm_bandwidth(row) / 1e9; });
  write("busbw", [&](auto& row) { return bus_bandwidth(row, ranks) / 1e9; });
}

void Recorder::collective_pieces(std::vector<SizeTimes> const& rows, std::int64_t total, Grouping groups) {
  const auto [seconds, extents] = matrix(rows, &SizeTimes::seconds);
  writer_.attribute("/collectives", "total_bytes", total);
  writer_.write("/collectives/piece_verb", verbs_of(rows));
  writer_.write("/collectives/piece_ranks", Integers(rows.size(), groups.ranks));
  writer_.write("/collectives/piece_groups", Integers(rows.size(), groups.groups));
  writer_.write("/collectives/piece_bytes", column<Integers>(rows, &SizeTimes::bytes));
  writer_.write("/collectives/piece_seconds", seconds, extents);
}

}  // namespace ddproxy
