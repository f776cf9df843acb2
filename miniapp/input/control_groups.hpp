// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

// The control groups of this process, with which Linux limits its memory and its cores. Handles versions 1
// and 2 of control groups.
namespace ddproxy {

/// Returns the smallest `value` of all control groups on the path from the top group to the group of this
/// process. `controller` names the controller of version 1, for instance "memory". Its groups are folders
/// below `root`/`controller`. An empty name stands for version 2, whose groups are folders below `root`.
/// `list` is the file that names the groups of this process. `value` gets the folder of a group, which may
/// not exist, and must return infinity if the group has no limit.
double least_of_groups(std::filesystem::path const& root, std::filesystem::path const& list,
                       std::string_view controller,
                       std::function<double(std::filesystem::path const&)> const& value);

}  // namespace ddproxy
