// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Returns true for commands that need neither MPI nor a device: predict, compare, step --against, and
/// --dry-run of any other.
bool works_on_login_node(Options const& options);

/// Runs such a command. Prints its result to standard output and warnings to standard error, and returns the
/// exit code. Throws std::invalid_argument for wrong input.
int run_on_login_node(Options const& options);

}  // namespace ddproxy
