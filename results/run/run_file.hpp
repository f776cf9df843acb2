// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/run/run.hpp"

namespace ddproxy::results {

/// Reads a results file. It reads in a child process, so that even a damaged file cannot crash or hang this
/// process. Names of cases are kept as they are; other texts are made printable.
///
/// Throws std::invalid_argument, one line that names the file, in these cases: Reader rejects the file; a
/// case's gradients were wrong; a time is not a positive number; a case's name cannot be printed; the child
/// crashes; the child takes longer than `patience` seconds plus one second per MiB of the file; the child
/// needs more memory than 1 GiB plus four times the file size. Throws std::runtime_error if no process can be
/// started.
Run read_run(std::filesystem::path const& path, double patience = 20.0);

/// Returns true if both runs come from one file or from copies of one file: they started at the same time and
/// have the same identity and samples.
bool is_same_run(Run const& a, Run const& b);

/// Throws std::invalid_argument with the names of two files that hold the same run.
void check_distinct(std::span<const Run> runs);

/// Returns true if the run has every key of Run::identity, in the order of known_keys().
bool has_whole_identity(Run const& run);

/// Returns all keys of --allow as "model, step, ...".
std::string known_keys();

/// Throws std::invalid_argument for a key that --allow does not know.
void check_keys(std::span<const std::string> allowed);

/// Throws std::invalid_argument if a run's figure of merit is not valid or its gradients were not verified,
/// or if two runs differ in their identity. The message names the runs. Keys in `allowed` are skipped.
void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed);

/// Returns warnings: values that could not be compared because a file lacks them, and differences that were
/// not rejected.
std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed);

}  // namespace ddproxy::results
