// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/file/h5.hpp"

namespace ddproxy::results::h5 {

/// Returns the dataset with that path. If it does not exist, it is created as the schema specifies, together
/// with the scales of its dimensions. The scale of a dimension is the dataset of the same name in the group,
/// or else the numbers 0, 1, 2, ... Throws std::logic_error if the extents differ in rank from the schema, or
/// in length from an existing dataset.
Id ensure_dataset(hid_t file, Dataset const& dataset, std::vector<std::size_t> const& extents);

/// Does the same as Writer::grow_samples().
void grow_samples(hid_t file, std::size_t samples);

}  // namespace ddproxy::results::h5
