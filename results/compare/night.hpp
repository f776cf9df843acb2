// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// The name in Night::cases of the mean over all cases.
inline constexpr char const* the_whole = "the whole";
/// How the name of a night file ends.
inline constexpr char const* night_suffix = ".night.json";

/// The figure of one case in one night.
struct NightCase {
  std::string name;
  /// Of a ratio night: the mean over its rounds of ln(T of the new build / T of the reference build). Of a
  /// plain run: ln(T / 1 s).
  double log_ratio = 0.0;
  /// Standard deviation of the logarithm over the rounds; NaN where it is not known.
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

/// What one night says: a new build measured in turns with a pinned reference build, or a plain run.
struct Night {
  std::filesystem::path path = {};  ///< the file that it was read from; not written
  std::string created;              ///< ISO time
  std::string machine;              ///< as Run::machine
  std::string revision;             ///< of the new build's source
  std::string reference_revision;   ///< of the reference build's source; empty: a plain run
  Run::Values identity;             ///< what must be equal, as Run::identity
  std::size_t rounds = 0;           ///< in which both builds took turns; 0: a plain run
  std::vector<NightCase> cases;     ///< of a ratio night: the_whole among them

  NightCase const* find(std::string const& name) const;
};

/// Reads a night file. Throws std::invalid_argument, one line with the file and the field, where it cannot be
/// read, is no JSON, has another schema, lacks a field or has one of a wrong type, a number that is not
/// finite, a negative deviation, no case, a case twice, or no case "the whole".
Night read_night(std::filesystem::path const& path);

/// Writes a ratio night to `path`, whole or not at all. The name has to end with night_suffix, or
/// `compare --history` does not find it. Throws std::invalid_argument for a night that read_night would
/// refuse, and as write_text does.
void write_night(std::filesystem::path const& path, Night const& night);

/// Returns the figures of a run as a night. Cases that were not measured, and other programs' cases, are left
/// out.
Night night_of(Run const& run);

}  // namespace ddproxy::results
