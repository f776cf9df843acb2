// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/transformer/tensor_layout.hpp"

namespace ddproxy {

/// The place of a rank in its group of a communicator.
struct GroupPlace {
  int rank = 0;   ///< from 0
  int ranks = 1;  ///< number of ranks in the group
  int group = 0;  ///< number of the group among all groups of the communicator, from 0
};

/// Returns the part of `whole` at this place, if `whole` is divided into equal parts for the ranks of the
/// group. The number of elements of `whole` must be divisible by the number of ranks.
constexpr model::Slice own_part(model::Slice whole, GroupPlace place) {
  return model::own_part(whole, static_cast<std::size_t>(place.ranks), static_cast<std::size_t>(place.rank));
}

/// The groups of equal size that carry out the same collectives at the same time.
struct Grouping {
  int ranks = 1;   ///< number of ranks of one group: n
  int groups = 1;  ///< number of groups
  int nodes = 0;   ///< number of nodes on which the ranks of a group are; 0: not known
  int stride = 1;  ///< difference between a rank of a group and the next one; 1: the ranks are consecutive
};

}  // namespace ddproxy
