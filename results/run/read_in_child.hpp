// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/run/child_process.hpp"

namespace ddproxy::results {

/// Returns the limits for a child process that reads the results file `path`: `patience` seconds plus one
/// second per MiB of the file, 1 GiB of memory plus four times the file size, and an answer of 1 GiB plus two
/// times the file size. A file that does not exist counts as empty.
ChildLimits limits_for(std::filesystem::path const& path, double patience);

/// Reads a results file in a child process, so that even a damaged file cannot crash or hang this process.
/// `read` runs in the child. This function returns the bytes that `read` returned. The caller checks them,
/// because the child may be faulty.
///
/// Throws std::invalid_argument, one line that begins with the file's name, if `read` throws a
/// std::exception, and if the child crashes or exceeds its limits, see limits_for(). Throws
/// std::runtime_error if no process can be started.
std::string read_bytes_in_child(std::filesystem::path const& path, std::function<std::string()> const& read,
                                double patience);

/// Works as read_bytes_in_child(), but `read` returns texts, and this function returns these texts.
/// Unprintable characters are replaced, and each text is cut after 2,000 characters.
std::vector<std::string> read_in_child(std::filesystem::path const& path,
                                       std::function<std::vector<std::string>()> const& read,
                                       double patience = 20.0);

}  // namespace ddproxy::results
