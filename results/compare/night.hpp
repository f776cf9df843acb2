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

/// The name of the mean over all cases in Night::cases.
inline constexpr char const* the_whole = "the whole";
/// The suffix of night files.
inline constexpr char const* night_suffix = ".night.json";

/// The result of one case in one night.
struct NightCase {
  std::string name;
  /// Ratio night: the mean over its rounds of ln(T of the new build / T of the reference build). Plain run:
  /// ln(T / 1 s).
  double log_ratio = 0.0;
  /// Standard deviation of the logarithm over the rounds; NaN if unknown.
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

/// The result of one night. In a ratio night, a new build was measured in turns with a pinned reference
/// build. A plain run measured one build.
struct Night {
  std::filesystem::path path = {};  ///< the file from which the night was read; not written to the file
  std::string created;              ///< ISO time
  std::string machine;              ///< same as Run::machine
  std::string revision;             ///< source revision of the new build
  std::string reference_revision;   ///< source revision of the reference build; empty: a plain run
  Run::Values identity;             ///< what must be equal between nights, as in Run::identity
  std::size_t rounds = 0;           ///< rounds in which both builds took turns; 0: a plain run
  std::vector<NightCase> cases;     ///< a ratio night includes the_whole

  /// Returns the case with that name, or nullptr.
  NightCase const* find(std::string const& name) const;
};

/// Reads a night file. Throws std::invalid_argument, one line with the file and the field, in these cases:
/// the file cannot be read, is not JSON or has another schema; a field is missing or has a wrong type; a
/// number is not finite; a deviation is negative; there is no case, a duplicate case, or no case "the whole".
Night read_night(std::filesystem::path const& path);

/// Writes a ratio night to `path`, completely or not at all. The name must end with night_suffix, otherwise
/// `compare --history` does not find the file. Throws std::invalid_argument for a night that read_night()
/// would reject, and as write_text does.
void write_night(std::filesystem::path const& path, Night const& night);

/// Returns the times of a run as a night. It leaves out cases that were not measured and the cases of other
/// programs.
Night night_of(Run const& run);

}  // namespace ddproxy::results
