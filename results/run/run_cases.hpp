// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/file/reader.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// Reads the cases of /sweep. If `ddproxy step` wrote the file, reads the whole step and those of its parts
/// whose times can be compared by their ratio. The last samples of a case may be NaN on all ranks: they were
/// not measured, and are NaN in the result. Samples that the run left out of its own figures are NaN in the
/// result, too. Throws std::invalid_argument that names the file and the case if gradients were wrong, or if
/// a measured sample has a time that is not positive. Also throws std::invalid_argument if the verified step
/// of `ddproxy step` computed wrong numbers, if the file is from `ddproxy collectives`, or if it is damaged.
std::vector<CaseTimes> read_cases(Reader const& reader);

/// Reads from the group /gate the times of the parts that `[gate]` of the input measures besides the cases.
/// Each part becomes a case of the strategy "part". Returns an empty list if the file has no such group.
/// As in read_cases(), the last samples may be NaN. Throws std::invalid_argument that names the file and the
/// part if a measured sample has a time that is not positive.
std::vector<CaseTimes> read_parts(Reader const& reader);

/// Returns the names of ddproxy's own cases that have times but no verified gradients: /sweep/verified is not
/// 1 or is missing. `cases` are those that read_cases() returned for the file. Cases of other programs are
/// not included, because ddproxy does not verify them. Returns an empty list if the file is from
/// `ddproxy step`.
std::vector<std::string> unverified_cases(Reader const& reader, std::vector<CaseTimes> const& cases);

}  // namespace ddproxy::results
