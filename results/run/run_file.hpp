// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/run/run.hpp"

namespace ddproxy::results {

/// Reads a results file. A child process reads it, so that even a damaged file cannot crash or hang this
/// process. Names of cases are kept as they are; other texts are made printable.
///
/// Throws std::invalid_argument, one line that names the file, in these cases: Reader rejects the file;
/// read_cases() rejects it (run_cases.hpp), for instance because gradients were wrong; the name of a case
/// cannot be printed or has more than 256 bytes; the child crashes; the child takes longer than `patience`
/// seconds plus one second per MiB of the file; the child needs more memory than 1 GiB plus four times the
/// file size. Throws std::runtime_error if no process can be started.
Run read_run(std::filesystem::path const& path, double patience = 20.0);

/// Returns true if both runs come from one file or from copies of one file. Two files count as copies if
/// their runs have the same start time, identity and samples.
bool is_same_run(Run const& a, Run const& b);

/// Checks that all runs are different. Throws std::invalid_argument that names two files with the same run.
void check_distinct(std::span<const Run> runs);

/// Returns true if Run::identity has every key that it needs, in the order of known_keys().
bool has_whole_identity(Run const& run);

/// Returns all keys of --allow as one text, "model, step, ...".
std::string known_keys();

/// Checks keys that the user gave to --allow. Throws std::invalid_argument for an unknown key.
void check_keys(std::span<const std::string> allowed);

/// Checks that runs may be compared. Throws std::invalid_argument if `compare` refuses the value of `valid`
/// of a run (results/file/validity.hpp), if the gradients of a run were not verified, or if two runs differ
/// in their identity. The message names the runs. Keys in `allowed` are skipped.
void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed);

/// Returns warnings, one line each. Some are about values that could not be compared, because a file lacks
/// them. The others are about differences between the conditions of two runs. Keys in `allowed` are skipped.
std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed);

}  // namespace ddproxy::results
