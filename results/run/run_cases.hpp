// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/file/reader.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// The cases of /sweep. Throws std::invalid_argument naming file and case where gradients were wrong or a
/// time is no positive number; a sample that no rank has (NaN), with none after it, was not measured, and is
/// NaN.
std::vector<CaseTimes> read_cases(Reader const& reader);

/// The parts of /gate as cases of the strategy "part"; none where the file has no such group. Throws as
/// read_cases() does.
std::vector<CaseTimes> read_parts(Reader const& reader);

/// The names of ddproxy's own cases that have times, and whose gradients the file does not say to be right:
/// /sweep/verified is not 1, or is not there. Another program's cases are not verified by ddproxy, and not
/// among them.
std::vector<std::string> unverified_cases(Reader const& reader, std::vector<CaseTimes> const& cases);

}  // namespace ddproxy::results
