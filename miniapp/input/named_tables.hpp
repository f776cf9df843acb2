// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Reads the CSV tables that the input names, in the order [compute] times, [allreduce] table. A key that the
/// input does not have is left out. Throws std::invalid_argument with the file's name if a table cannot be
/// opened or is larger than model::CsvTable accepts.
std::vector<NamedTable> read_named_tables(Config const& config);

}  // namespace ddproxy
