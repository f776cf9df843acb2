// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ddproxy {

/// Installs handlers for SIGINT, SIGTERM and SIGUSR1. From then on these signals do not end the program. They
/// set a flag, which signalled() returns. The first signal also prints `notice` and a line end to standard
/// error at once, because the program may go on measuring for seconds. If `notice` is empty, it prints
/// nothing.
void catch_signals(std::string_view notice);

/// Makes later signals print nothing. Call it when the run has ended. Reason: when one rank has ended with an
/// error, the launcher sends SIGTERM to the others. `notice` would then be wrong, because it says that the
/// run still completes a measurement.
void end_signal_notice();

/// Installs a handler for SIGABRT, because Kokkos prints a message and calls abort() when its device has
/// failed. The handler prints a line that names `rank` to standard error, and exits with code 4.
void catch_device_failure(int rank);

/// Returns whether SIGINT, SIGTERM or SIGUSR1 has arrived since catch_signals(), or set_signalled() was
/// called.
bool signalled();
/// Sets the flag that signalled() returns, as one of these signals does.
void set_signalled();

}  // namespace ddproxy
