// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// Writes the predictions as JSON, with the keys of docs/predict.md. The keys of the first prediction are at
/// the top level. If there are several predictions, "by_ranks" lists all of them. Throws what
/// results::write_text() (results/output/text_file.hpp) throws.
void write_json(std::vector<Prediction> const& predictions, std::filesystem::path const& file);

/// Writes a text to a file. Throws what results::write_text() throws.
void write_text(std::filesystem::path const& file, std::string const& text);

}  // namespace ddproxy
