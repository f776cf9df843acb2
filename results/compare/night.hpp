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

/// The mean over all cases has this name in Night::cases.
inline constexpr char const* the_whole = "the whole";
/// The ending of the names of night files.
inline constexpr char const* night_suffix = ".night.json";

/// Holds the result of one case in one night.
struct NightCase {
  std::string name;
  /// Ratio night: the mean over its rounds of ln(T of the new build / T of the reference build). Plain run:
  /// ln(T / 1 s).
  double log_ratio = 0.0;
  /// Standard deviation of the logarithm over the rounds; NaN if unknown.
  double deviation = std::numeric_limits<double>::quiet_NaN();
};

/// Holds the result of one night. There are two kinds. In a ratio night, a new build and a reference build
/// took turns; the reference build stays the same over many nights. A plain run measured one build.
struct Night {
  std::filesystem::path path = {};  ///< the file from which the night was read; not written to the file
  std::string created;              ///< ISO time
  std::string machine;              ///< same as Run::machine
  std::string revision;             ///< source revision of the new build
  std::string reference_revision;   ///< source revision of the reference build; empty: a plain run
  Run::Values identity;             ///< values that must be equal in all nights, see Run::identity
  std::size_t rounds = 0;           ///< rounds in which both builds took turns; 0: a plain run
  std::vector<NightCase> cases;     ///< a ratio night includes the_whole

  /// Returns the case with that name, or nullptr.
  NightCase const* find(std::string const& name) const;
};

/// Reads a night file. Throws std::invalid_argument in these cases: the file cannot be read, is not JSON or
/// has another schema; a field is missing or has a wrong type; `created` or `reference_revision` is empty;
/// `rounds` is 0; a number is not finite; a deviation is negative; the name of a case cannot be printed;
/// there is no entry "the whole", or no other entry; two cases have the same name. The text of the exception
/// is one line that names the file and the field.
Night read_night(std::filesystem::path const& path);

/// Writes a ratio night to `path`, completely or not at all. If the name does not end with night_suffix,
/// `compare --history` does not find the file. Throws std::invalid_argument if read_night() would reject the
/// night, and the exceptions of write_text() (results/output/text_file.hpp).
void write_night(std::filesystem::path const& path, Night const& night);

/// Returns the times of a run as a night. The night does not include cases that were not measured, nor cases
/// whose times another program measured (for example PyTorch, see /sweep/source).
Night night_of(Run const& run);

}  // namespace ddproxy::results
