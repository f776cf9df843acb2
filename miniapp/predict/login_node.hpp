// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// Returns whether the command needs neither MPI nor a device: predict, account, memory, compare, step
/// --against, and any other command with --dry-run.
bool works_on_login_node(Options const& options);

/// Runs a command for which works_on_login_node() is true. Prints the result to standard output and warnings
/// to standard error. Returns the exit code. Throws std::invalid_argument for wrong input.
int run_on_login_node(Options const& options);

}  // namespace ddproxy
