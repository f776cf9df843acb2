// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/file/h5.hpp"

namespace ddproxy::results::h5 {

/// Returns the dataset `dataset` of the file. If it does not exist, creates it as the schema specifies,
/// together with an HDF5 dimension scale for each of its dimensions. The scale of a dimension is a dataset in
/// the same group. The name of the scale is the name of the dimension. If the schema has no such dataset, the
/// scale holds the numbers 0, 1, 2, ... A dataset that is a coordinate (Dataset::is_coordinate()) is itself
/// the scale of its dimension. If `dataset` exists with fewer samples and can grow (growing_groups in
/// schema.hpp), calls grow_samples() for its group. Throws std::logic_error if the number of extents differs
/// from the schema, or if the extents differ from those of the existing dataset in another way.
Id ensure_dataset(hid_t file, Dataset const& dataset, std::vector<std::size_t> const& extents);

/// Grows the dimension `sample` to `samples` in all datasets of `group` that have this dimension. The
/// dimension scale grows, too. New elements of the datasets have the fill value, which is NaN for real
/// values. `samples` must not be smaller than before.
void grow_samples(hid_t file, std::string_view group, std::size_t samples);

}  // namespace ddproxy::results::h5
