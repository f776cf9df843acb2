// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/cores/settings.hpp"

namespace ddproxy {

/// Returns the settings with which this process was started again; nothing if it was not started again.
/// Reason for a second start: the OpenMP library and OpenBLAS read their environment variables before main().
/// So the program sets the variables and starts itself again, once.
std::optional<Settings> settings_of_second_start();

/// Starts the program again in this process, with the settings in its environment and the arguments `argv`.
/// The process id, the open files and the allowed cores stay the same. Call this function before MPI starts.
/// It returns only if there was no start: if `settings` is empty, if the process was started again before, if
/// the path of the program is unknown, or if the kernel refuses the start. The environment is then unchanged.
void start_again_with(Settings const& settings, char** argv);

}  // namespace ddproxy
