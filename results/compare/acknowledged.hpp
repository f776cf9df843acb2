// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddproxy::results {

/// A slowdown that somebody accepted.
struct Acknowledgement {
  std::string name;       ///< of the case
  std::string until;      ///< Night::created of the newest night then: the level up to it is accepted
  double slowdown = 0.0;  ///< the slowdown that was accepted, a share
  std::string at;         ///< ISO time of the acknowledgement
  std::string reason;     ///< in the words of who acknowledged it
};

/// The file that holds the acknowledgements of a history: acknowledged.json in its folder.
std::filesystem::path acknowledged_file(std::filesystem::path const& folder);

/// Returns none where there is no such file. Throws std::invalid_argument, one line with the file and the
/// field, where it is malformed.
std::vector<Acknowledgement> read_acknowledged(std::filesystem::path const& folder);

/// Replaces the file. Throws as write_text does.
void write_acknowledged(std::filesystem::path const& folder, std::vector<Acknowledgement> const& all);

}  // namespace ddproxy::results
