// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// Installs handlers for SIGINT, SIGTERM and SIGUSR1. From then on these signals set a flag, which
/// signalled() returns, and do not end the program.
void catch_signals();

/// Installs a handler for SIGABRT. Kokkos calls abort() when its device has failed. From then on the program
/// exits with code 4, and a line that names `rank` follows Kokkos' message on standard error.
void catch_device_failure(int rank);

/// Returns true if one of these signals has come or set_signalled() was called.
bool signalled();
/// Sets the flag as a signal does.
void set_signalled();

}  // namespace ddproxy
