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
/// process has one row for compute and one row for each communication lane. If the results file has the bytes
/// of the live buffers, the process also has a counter that shows them in MiB.
///
/// Throws std::invalid_argument if a case does not exist or has no timeline, or if the file is damaged. Also
/// throws the exceptions of write_text() (results/output/text_file.hpp).
void write_trace(Reader const& reader, std::vector<std::string> const& cases,
                 std::filesystem::path const& path);

}  // namespace ddproxy::results
