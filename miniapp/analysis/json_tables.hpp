// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/analysis/figure_of_merit.hpp"
#include "results/file/reader.hpp"

namespace ddproxy {

/// Writes a results file as JSON: {fom: {...}, tables: {group: {column: [...]}}}. A value that is not
/// available becomes null. A dataset with several dimensions becomes a nested list. Throws
/// as results::write_text() does.
void write_json(results::Reader const& reader, FigureOfMerit const& figures,
                std::filesystem::path const& file);

}  // namespace ddproxy
