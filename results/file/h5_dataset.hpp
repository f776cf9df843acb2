// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/file/h5.hpp"

namespace ddproxy::results::h5 {

/// The dataset of that path, created as the schema says where it is not there, its dimensions' scales with
/// it: the dataset of the same name where the group has one, else the numbers 0, 1, 2, ... Throws
/// std::logic_error where the extents have another rank than the schema or another length than before.
Id ensure_dataset(hid_t file, Dataset const& dataset, std::vector<std::size_t> const& extents);

/// As Writer::grow_samples().
void grow_samples(hid_t file, std::size_t samples);

}  // namespace ddproxy::results::h5
