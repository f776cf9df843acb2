// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Reads and checks an input file. A `name` without a folder is searched for as find_input() says. Throws
/// std::invalid_argument with one line that names the file, the line and the key, and says what to do.
Config read_config(std::filesystem::path const& name);

}  // namespace ddproxy
