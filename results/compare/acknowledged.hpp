// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddproxy::results {

/// Describes a slowdown that a person accepted.
struct Acknowledgement {
  std::string name;       ///< name of the case
  std::string until;      ///< Night::created of the newest night when the slowdown was accepted
  double slowdown = 0.0;  ///< the accepted slowdown, relative (0.05: 5 %)
  std::string at;         ///< ISO time of the acknowledgement
  std::string reason;     ///< the reason that the person gave
};

/// Returns the path of the file that holds the acknowledgements of a history: acknowledged.json in its
/// folder.
std::filesystem::path acknowledged_file(std::filesystem::path const& folder);

/// Reads the acknowledgements of a history. Returns an empty list if there is no such file. Throws
/// std::invalid_argument if the file cannot be read or is malformed; the text is one line that names the file
/// and, if one is wrong, the field.
std::vector<Acknowledgement> read_acknowledged(std::filesystem::path const& folder);

/// Writes the acknowledgements and replaces the file. Throws the exceptions of write_text()
/// (results/output/text_file.hpp).
void write_acknowledged(std::filesystem::path const& folder, std::vector<Acknowledgement> const& all);

}  // namespace ddproxy::results
