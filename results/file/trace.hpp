// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/file/reader.hpp"

namespace ddproxy::results {

/// Writes the timelines of the named cases as Chrome trace JSON, which Perfetto and chrome://tracing open. If
/// no case is named, it writes all cases that have a timeline. The trace has one process for each case and
/// rank, and in it one row for each resource, and a counter of the live buffers where the file has them.
/// Times are in microseconds. Throws std::invalid_argument for a case that does not exist or has no timeline,
/// and for a file that cannot be written.
void write_trace(Reader const& reader, std::vector<std::string> const& cases,
                 std::filesystem::path const& path);

}  // namespace ddproxy::results
