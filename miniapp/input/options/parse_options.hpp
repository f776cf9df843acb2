// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// The program whose command line is parsed. Both accept the same commands.
enum class Program {
  measures,  ///< ddproxy
  predicts,  ///< ddproxy-model, which measures nothing: measuring commands need --dry-run
};

/// Parses the command line and returns the options. `version` is the version that --version prints. The help
/// says what `program` can do.
///
/// Returns nothing and sets `exit_code` if the program has to end: 0 after help or version, 2 for a wrong
/// command line. Prints the help, the version or the error (one line) only if `speak` is true.
std::optional<Options> parse_options(int argc, char const* const* argv, char const* version, bool speak,
                                     int& exit_code, Program program = Program::measures);

}  // namespace ddproxy
