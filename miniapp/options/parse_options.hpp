// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Parses the command line. Nothing, with `exit_code` set, where that is all there is to do: help or version
/// (0), or bad usage (2), said in one line on standard error where `speak` is true.
std::optional<Options> parse_options(int argc, char const* const* argv, char const* version, bool speak,
                                     int& exit_code);

}  // namespace ddproxy
