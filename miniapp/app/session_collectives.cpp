// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "miniapp/app/check_messages.hpp"
#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "miniapp/measure/step/group_lane.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

std::vector<std::int64_t> bytes_of(std::vector<double> const& sizes_mib) {
  std::vector<std::int64_t> sizes;
  for (const double mib : sizes_mib) sizes.push_back(static_cast<std::int64_t>(mib * model::bytes_per_mib));
  return sizes;
}

}  // namespace

std::int64_t Session::element_of_each_rank() const {
  return std::int64_t{wire_element_bytes(context_.workload.wire)} * context_.grouping().ranks;
}

// Rounds sizes (bytes) so that all ranks have equal parts, and returns them. No size exceeds the gradients of
// the model, unless collectives are replayed. A replay needs no such limit, because it moves no data.
std::vector<std::int64_t> Session::divisible(std::vector<std::int64_t> sizes) const {
  const auto there = wire_bytes(context_.workload.bytes(), context_.workload.wire);
  const auto largest = context_.reduces() ? there : std::numeric_limits<std::int64_t>::max() / 2;
  return rounded_sizes(std::move(sizes), element_of_each_rank(), largest);
}

void Session::say_rounding(std::vector<std::int64_t> const& asked) const {
  const bool fits =
      std::ranges::all_of(asked, [&](auto bytes) { return bytes % element_of_each_rank() == 0; });
  if (root() && !fits)
    results::print_output(
        fmt::format("sizes are rounded to multiples of {} bytes, so that {} ranks have equal parts\n",
                    element_of_each_rank(), context_.grouping().ranks));
}

void Session::warn_of_substitutes() const {
  if (context_.reduces() || !root()) return;
  const auto tables = model::read_collectives(context_.config.table, context_.config.ranks);
  const auto group = replayed_group(context_.config, context_.grouping().ranks, context_.strided);
  for (const auto verb : options_.verbs)
    if (const auto source = tables.source(verb, group); source && source->share < 1)
      results::say_error(fmt::format(
          "warning: {} has no times of {} for {}, so half of the time of an all_reduce is replayed instead. "
          "Measure {} for times that can be relied on",
          context_.config.table.string(), model::name_of(verb), model::group_text(group),
          model::name_of(verb)));
}

void Session::collectives() {
  say("timing the collectives");
  warn_of_substitutes();
  const auto asked = options_.sizes_mib.empty() ? sizes_to_measure() : bytes_of(options_.sizes_mib);
  say_rounding(asked);
  const auto start = Clock::now();
  auto times = measure_collectives(context_, options_.verbs, divisible(asked));
  complete_table(context_, times, seconds_for_state(seconds_since(context_, start)));
  const int nodes = nodes_of_groups(context_);
  if (root()) {
    settle_tables(times);
    warn_of_mixed_states();
    keep_collectives(times, nodes);
    recorder_->flush();
  }
  check_sums(times);
  figures_.valid = results::validity_of(false, !context_.reduces(), context_.ranks());
}

void Session::keep_collectives(std::vector<SizeTimes> const& times, int nodes) {
  Grouping groups = context_.grouping();
  groups.nodes = nodes;
  recorder_->collectives(times, groups);
  recorder_->call("/collectives", context_);
  const auto rows = of_state(times);
  recorder_->collective_figures(rows, groups.ranks);
  keep_table(".collectives.csv", collectives_csv(rows, groups, !context_.reduces()));
  report_ += collectives_table(rows, groups, !context_.reduces());
  for (auto const& row : rows)  // sizes rise, so the last all-reduce is the largest
    if (row.verb == model::Verb::all_reduce) figures_.bus_bw_GBps = bus_bandwidth(row, groups.ranks) / 1e9;
}

void Session::collective_pieces() {
  say("timing the collectives in pieces");
  warn_of_substitutes();
  const auto total = divisible({total_to_move()}).front();
  const auto asked = bytes_of(options_.pieces_mib);
  say_rounding(asked);
  const auto pieces = divisible(asked);
  std::vector<SizeTimes> rows;
  for (const auto verb : options_.verbs)
    for (const auto piece : pieces)
      rows.push_back(measure_pieces(context_, total, piece, context_.config.samples, verb));
  if (root()) {
    recorder_->collective_pieces(rows, total, context_.grouping());
    recorder_->call("/collectives", context_);
    recorder_->flush();
    report_ += collective_pieces_table(rows, total, context_.grouping());
  }
  check_sums(rows);
}

}  // namespace ddproxy
