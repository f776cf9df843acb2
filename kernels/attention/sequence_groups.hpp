// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kernels/sizes/scratch.hpp"

namespace ddproxy::kernels {

/// Calls work(first sequence, size) for every group of sequences that attention on a device computes
/// together. size.batch is the number of sequences of the group, at most batched::sequences_at_once().
template <class Work>
void for_each_group(AttentionSize size, Work const& work) {
  const Index sequences = size.batch, at_once = batched::sequences_at_once(size);
  for (Index first = 0; first < sequences; first += at_once) {
    size.batch = std::min(at_once, sequences - first);
    work(first, size);
  }
}

}  // namespace ddproxy::kernels
