// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "miniapp/input/options/scattered_elements.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/predict/dry_run.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

std::string mib_text(double mib) {
  return fmt::format("{:.4g}", mib);
}

std::string list_text(std::vector<double> const& sizes_mib) {
  std::vector<std::string> words;
  std::ranges::transform(sizes_mib, std::back_inserter(words), mib_text);
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns the sizes that are measured without --sizes, in MiB. A replay has the sizes of its table. Other
// runs have sizes from 1 KiB to the size of all gradients.
std::vector<double> default_sizes(Config const& config, Workload const& workload) {
  std::vector<std::int64_t> bytes;
  if (const auto cost = config.backend == Backend::replay ? input_cost(config) : std::nullopt)
    std::ranges::transform(cost->table(), std::back_inserter(bytes), &model::CostPoint::bytes);
  else
    bytes = message_sizes(wire_bytes(workload.bytes(), workload.wire));
  std::vector<double> sizes;
  for (const auto each : bytes) sizes.push_back(static_cast<double>(each) / model::bytes_per_mib);
  return sizes;
}

std::string describe_pieces(Options const& options, Workload const& workload) {
  const double all = static_cast<double>(wire_bytes(workload.bytes(), workload.wire)) / model::bytes_per_mib;
  return fmt::format("total: {} MiB, in pieces of these sizes (MiB): {}\n",
                     mib_text(options.total_mib > 0 ? options.total_mib : all),
                     list_text(options.pieces_mib));
}

std::string describe_sizes(Options const& options, Config const& config, Workload const& workload) {
  const auto sizes = options.sizes_mib.empty() ? default_sizes(config, workload) : options.sizes_mib;
  return fmt::format("{} message sizes on the wire (MiB): {}\n", sizes.size(), list_text(sizes));
}

std::string groups_text(Options const& options) {
  if (!options.group) return {};
  return fmt::format(" on {}groups of {} ranks, all groups at the same time",
                     options.strided ? "strided " : "", *options.group);
}

}  // namespace

std::string describe_collectives_plan(Options const& options, Config const& config,
                                      Workload const& workload) {
  check_can_run(config);
  std::vector<std::string_view> names;
  for (const auto verb : options.verbs) names.push_back(model::name_of(verb));
  if (options.command == "allreduce") names = {model::name_of(model::Verb::all_reduce)};
  return describe_model(config, workload) +
         fmt::format("collectives: {}{}; backend {}, {} samples or more of each size\n",
                     fmt::join(names, ", "), groups_text(options), word_of(config.backend, backend_words),
                     config.samples) +
         (options.measures_sizes() ? describe_sizes(options, config, workload) : "") +
         (options.pieces_mib.empty() ? "" : describe_pieces(options, workload)) +
         describe_memory(config, workload, {}, scattered_elements(options, config, workload, likely_ranks));
}

}  // namespace ddproxy
