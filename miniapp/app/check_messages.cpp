// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/check_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/wire_format.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

void require_element(char const* option, double mib, WireFormat wire) {
  if (mib * model::bytes_per_mib < wire_element_bytes(wire))
    throw std::invalid_argument(
        fmt::format("{}: {} MiB is less than one element; give a larger size", option, mib));
}

}  // namespace

void check_sizes(Options const& options, Config const& config, Workload const& workload) {
  const double there =
      static_cast<double>(wire_bytes(workload.bytes(), workload.wire)) / model::bytes_per_mib;
  const double total = options.total_mib > 0 ? options.total_mib : there;
  const auto require_gradients = [&](char const* option, double mib) {
    if (config.backend != Backend::replay && mib > there)
      throw std::invalid_argument(fmt::format(
          "{}: {} MiB is more than the {:.4g} MiB of gradients of this model; give at most this size", option,
          mib, there));
  };
  require_gradients("--total", total);
  for (const double size : options.sizes_mib) {
    require_gradients("--sizes", size);
    require_element("--sizes", size, workload.wire);
  }
  for (const double piece : options.pieces_mib) {
    if (piece > total)
      throw std::invalid_argument(fmt::format(
          "--pieces: {} MiB is more than the total of {:.4g} MiB; give smaller pieces or a larger --total",
          piece, total));
    require_element("--pieces", piece, workload.wire);
  }
}

model::RankGroup replayed_group(Config const& config, int ranks, bool strided) {
  const auto all = static_cast<std::size_t>(config.ranks), of_group = static_cast<std::size_t>(ranks);
  const auto groups = strided ? replica_groups(all, of_group) : unit_groups(all, of_group);
  return {ranks, model::nodes_of(groups, config.ranks_per_node)};
}

void check_verbs(Options const& options, Config const& config) {
  if (config.backend != Backend::replay) return;
  const auto tables = model::read_collectives(config.table, config.ranks);
  const auto group = replayed_group(config, options.group.value_or(config.ranks), options.strided);
  for (const auto verb : options.verbs)
    if (!tables.source(verb, group))
      throw std::invalid_argument(fmt::format(
          "{}: the times of {} for {} are missing; at least two sizes are needed. Measure them with "
          "'ddproxy collectives' on the machine, or remove {} from --op",
          config.table.string(), model::name_of(verb), model::group_text(group), model::name_of(verb)));
}

void check_pairs(Options const& options, int ranks) {
  const bool sends = std::ranges::find(options.verbs, model::Verb::send) != options.verbs.end();
  if (!sends || options.group.value_or(ranks) >= 2) return;
  throw std::invalid_argument(
      "--op: send needs at least two ranks, one that sends and one that receives; start more ranks, or "
      "remove send from --op");
}

void check_group(Options const& options, int ranks) {
  if (!options.group || ranks % *options.group == 0) return;
  throw std::invalid_argument(fmt::format(
      "--group: {} cannot be divided into groups of {}; give a divisor of the number of ranks, 2 or more, "
      "or start another number of ranks",
      model::ranks_text(ranks), *options.group));
}

}  // namespace ddproxy
