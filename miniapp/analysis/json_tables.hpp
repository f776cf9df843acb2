// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/analysis/figure_of_merit.hpp"
#include "results/file/reader.hpp"

namespace ddproxy {

/// Writes {fom: {...}, tables: {group: {column: [...]}}} of a results file; what is not available is null, a
/// dataset of several dimensions a nested list. Throws std::invalid_argument where `file` cannot be written.
void write_json(results::Reader const& reader, FigureOfMerit const& figures,
                std::filesystem::path const& file);

}  // namespace ddproxy
