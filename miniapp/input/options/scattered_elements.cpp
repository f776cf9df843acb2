// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/scattered_elements.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/engine_buffers.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "model/step/bucket_plan.hpp"

namespace ddproxy {
namespace {

// Returns the largest of the sizes in MiB, in bytes.
std::int64_t largest_of(std::vector<double> const& sizes_mib) {
  return static_cast<std::int64_t>(std::ranges::max(sizes_mib) * model::bytes_per_mib);
}

// Returns the bytes of the largest message of `ddproxy collectives`, before it is rounded. `all` is the size
// of all gradients.
std::int64_t largest_message(Options const& options, std::int64_t all) {
  std::int64_t largest = 0;
  if (options.measures_sizes()) largest = options.sizes_mib.empty() ? all : largest_of(options.sizes_mib);
  if (options.pieces_mib.empty()) return largest;
  const std::int64_t total = options.total_mib > 0 ? largest_of({options.total_mib}) : all;
  return std::max(largest, std::min(total, largest_of(options.pieces_mib)));
}

}  // namespace

std::size_t scattered_elements(Options const& options, Config const& config, Workload const& workload,
                               int ranks) {
  const bool scatters = options.command == "collectives" &&
                        std::ranges::find(options.verbs, model::Verb::reduce_scatter) != options.verbs.end();
  if (!scatters || workload.wire != WireFormat::fp32) return 0;
  const int of_group = options.group.value_or(ranks);
  const std::int64_t all = workload.bytes(), multiple = std::int64_t{gradient_element_bytes} * of_group;
  const auto bytes = rounded_sizes({largest_message(options, all)}, multiple, all).front();
  return scattered_in_place(static_cast<std::size_t>(bytes / gradient_element_bytes), piece_elements(config),
                            of_group);
}

}  // namespace ddproxy
