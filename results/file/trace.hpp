// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/file/reader.hpp"

namespace ddproxy::results {

/// Writes the timelines of the cases `cases` to the file `path`. If `cases` is empty, writes all cases that
/// have a timeline. The format is Chrome trace JSON, which Perfetto and chrome://tracing open. Times are in
/// microseconds.
///
/// The trace has one process for each case and rank. The case of a file of `ddproxy step` is called "step". A
/// process has one row for each resource (compute, communication, or one row for each of several
/// communication lanes), and a counter of the bytes in live buffers if the results file has them.
///
/// Throws std::invalid_argument if a case does not exist or has no timeline, and the exceptions of
/// write_text() (results/output/text_file.hpp).
void write_trace(Reader const& reader, std::vector<std::string> const& cases,
                 std::filesystem::path const& path);

}  // namespace ddproxy::results
