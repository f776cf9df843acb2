// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// From now on SIGINT, SIGTERM and SIGUSR1 are noted instead of ending the program.
void catch_signals();

/// From now on an abort(), which is how Kokkos ends a program whose device failed, ends it with exit code 4
/// and a line that names the rank, below Kokkos' own.
void catch_device_failure(int rank);

/// True once one of them came, or set_signalled() was called.
bool signalled();
void set_signalled();

}  // namespace ddproxy
