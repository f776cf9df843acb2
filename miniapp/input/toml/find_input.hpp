// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy {

/// Returns the folder of the input files that come with ddproxy: share/ddproxy/inputs of the installation
/// that the running program belongs to. If it does not exist, returns the folder `inputs` that is nearest
/// above the program, for instance if the program is in a build folder of the project. If there is no such
/// folder either, returns the path in the installation, although it does not exist.
std::filesystem::path shipped_inputs();

/// Returns the path of an input file. If `name` has a folder, returns `name`. Otherwise searches for NAME and
/// NAME.toml, first in the working directory and then in shipped_inputs(). Throws std::invalid_argument with
/// one line that names both folders if there is no such file.
std::filesystem::path find_input(std::filesystem::path const& name);

}  // namespace ddproxy
