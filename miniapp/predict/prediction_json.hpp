// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// Writes the keys of docs/predict.md: those of the first prediction at the top, with several ranks all of
/// them under "by_ranks". Throws as results::write_text does.
void write_json(std::vector<Prediction> const& predictions, std::filesystem::path const& file);

/// Throws as results::write_text does.
void write_text(std::filesystem::path const& file, std::string const& text);

}  // namespace ddproxy
