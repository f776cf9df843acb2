// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// True for what needs neither MPI nor a device: predict, compare, and --dry-run of any other command.
bool works_on_login_node(Options const& options);

/// Runs it, printing to standard output, warnings to standard error; returns the exit code. Wrong input
/// throws std::invalid_argument.
int run_on_login_node(Options const& options);

}  // namespace ddproxy
