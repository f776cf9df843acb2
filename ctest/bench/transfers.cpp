// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/transfers.hpp"

#include <algorithm>

namespace ddproxy::bench {
namespace {

using model::Verb;

/// Returns an integer that fp32 represents. Two elements of a rank have the same number only if they lie a
/// multiple of 8191 elements apart.
float number_of(int rank, std::size_t element) {
  return static_cast<float>(1 + rank % 8 * 8191 + static_cast<int>(element % 8191));
}

std::int64_t wrong_elements(CollectiveCall const& receive, float const* memory, std::size_t elements) {
  std::int64_t wrong = 0;
  for (std::size_t i = receive.assigned.offset; i < receive.assigned.end(); ++i)
    wrong += memory[i] != number_of(receive.root_or_peer, i - elements);
  return wrong;
}

}  // namespace

void add_transfers(std::vector<CollectiveCall>& calls, Slice slice, GroupPlace place, std::size_t elements) {
  const bool even = place.rank % 2 == 0;
  const int peer = place.rank + (even ? 1 : -1);
  if (peer >= place.ranks) return;
  const CollectiveCall send{Verb::send, slice, {0, 0}, peer};
  const CollectiveCall receive{Verb::receive, {0, 0}, {slice.offset + elements, slice.count}, peer};
  calls.push_back(even ? send : receive);
  calls.push_back(even ? receive : send);
}

void write_sent(std::span<const CollectiveCall> calls, float* memory, int rank) {
  for (auto const& call : calls)
    if (call.verb == Verb::send)
      for (std::size_t i = call.read.offset; i < call.read.end(); ++i) memory[i] = number_of(rank, i);
}

std::int64_t take_wrong(std::span<const CollectiveCall> calls, float* memory, std::size_t elements) {
  std::int64_t wrong = 0;
  for (auto const& call : calls)
    if (call.verb == Verb::receive) wrong += wrong_elements(call, memory, elements);
  for (auto const& call : calls)
    if (is_transfer(call.verb)) std::fill_n(memory + full_slice(call).offset, full_slice(call).count, 0.0F);
  return wrong;
}

}  // namespace ddproxy::bench
