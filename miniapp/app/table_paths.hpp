// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// Checks that the tables beside the results file can be created. Call it before anything is measured,
/// because the tables are written only at the end, with the results file. Throws std::invalid_argument with
/// the path if
/// - the name of a table is too long for the file system; or
/// - the path of a table is a folder or cannot be examined.
/// For the command `sweep`, which writes no tables, nothing is checked.
void check_table_paths(Options const& options);

}  // namespace ddproxy
