// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "results/file/reader.hpp"

namespace ddproxy {

/// Writes a results file as JSON: {fom: {...}, tables: {group: {column: [...]}}}. A real number
/// that is NaN or infinite becomes null. A dataset with several dimensions becomes a nested list. Throws what
/// results::write_text() (results/output/text_file.hpp) throws.
void write_json(results::Reader const& reader, FigureOfMerit const& figures,
                std::filesystem::path const& file);

/// The numbers of a figure of merit with their names.
using Numbers = std::vector<std::pair<char const*, double>>;

/// Writes the same JSON, but with `numbers` and `valid` as its figure of merit.
void write_json(results::Reader const& reader, Numbers const& numbers, results::Validity valid,
                std::filesystem::path const& file);

}  // namespace ddproxy
