// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/app/tables.hpp"

namespace ddproxy {
namespace {

struct LayerRow {
  std::string layer;
  double seconds = 0;       // time on the slowest rank
  std::size_t slowest = 0;  // number of that rank
};

// Adds up the medians of consecutive operators of one layer, rank by rank. Returns for each layer the largest
// of these sums and its rank.
std::vector<LayerRow> layer_rows(Workload const& workload, OperationTimes const& times) {
  std::vector<LayerRow> rows;
  const auto medians = times.medians();
  auto const& operations = workload.pass.operations;
  for (std::size_t first = 0, last = 0; first < operations.size(); first = last) {
    while (last < operations.size() && operations[last].layer == operations[first].layer) ++last;
    LayerRow row{operations[first].layer};
    for (std::size_t rank = 0; rank < medians.size(); ++rank) {
      double seconds = 0;
      for (std::size_t op = first; op < last; ++op) seconds += medians[rank][op];
      if (seconds > row.seconds) row = {row.layer, seconds, rank};
    }
    rows.push_back(row);
  }
  return rows;
}

// Returns a comment line for replayed tables, so that nobody mistakes them for measurements; else an empty
// text.
std::string label(bool replayed) {
  return replayed ? "# replay: from a table or the roofline, not measured\n" : "";
}

}  // namespace

std::string layer_table(Workload const& workload, OperationTimes const& times, bool replayed) {
  const auto rows = layer_rows(workload, times);
  double sum = 0;
  for (auto const& row : rows) sum += row.seconds;
  std::string text = label(replayed) + fmt::format("{:<12} {:>12} {:>8} {:>13}\n", "layer", "median ms",
                                                   "share", "slowest rank");
  for (auto const& row : rows)
    text += fmt::format("{:<12} {:>12.3f} {:>6.1f} % {:>13}\n", row.layer, row.seconds * 1e3,
                        100 * row.seconds / sum, row.slowest);
  return text + fmt::format("{:<12} {:>12.3f}\n", "sum", sum * 1e3);
}

std::string layer_csv(Workload const& workload, OperationTimes const& times, bool replayed) {
  std::string text =
      label(replayed) +
      "# backward pass, median of each operation on the slowest rank, summed over the layer\nlayer,seconds\n";
  for (auto const& row : layer_rows(workload, times))
    text += fmt::format("{},{:.9g}\n", row.layer, row.seconds);
  return text;
}

std::string gradient_csv(Workload const& workload, ReadyTimes const& times, bool replayed) {
  std::string text =
      label(replayed) +
      "# gradients in ready order; seconds since the ready time of the row before\nname,numel,seconds\n";
  double before = 0;
  for (std::size_t i = 0; i < times.ready.size(); ++i) {
    auto const& gradient = workload.pass.gradients[i];
    text += fmt::format("{},{},{:.9g}\n", gradient.name, gradient.numel, times.ready[i] - before);
    before = times.ready[i];
  }
  const double rest = times.t_compute - before;
  if (rest > 1e-12) text += fmt::format("end,0,{:.9g}\n", rest);
  return text;
}

std::string allreduce_csv(std::vector<SizeTimes> const& times, int ranks, bool replayed) {
  std::string text = label(replayed) +
                     "# median seconds of one all-reduce; a sample is the mean of several calls in a row, "
                     "maximum over ranks\nranks,bytes,seconds\n";
  for (auto const& [bytes, seconds] : to_table(times))
    text += fmt::format("{},{},{:.9g}\n", ranks, bytes, seconds);
  return text;
}

std::string contention_csv(std::vector<ContentionSample> const& runs, WireFormat wire) {
  std::string text =
      "# speed of compute while a collective of these bytes (on the wire) is in flight, and of the "
      "collective while compute runs\nbytes,kappa,gamma\n";
  for (auto const& run : runs) {
    const auto [kappa, gamma] = speeds_of(run);
    text += fmt::format("{},{:.4g},{:.4g}\n", wire_bytes(run.bytes, wire), kappa, gamma);
  }
  return text;
}

}  // namespace ddproxy
