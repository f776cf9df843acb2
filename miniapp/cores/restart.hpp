// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/cores/settings.hpp"

namespace ddproxy {

/// What this process was started again with; nothing where it was not. The OpenMP library and OpenBLAS read
/// their variables before main(), so the program sets them and starts itself again, once.
std::optional<Settings> settings_of_second_start();

/// Starts the program again in this process, with the settings in its environment: same process id, open
/// files and cores. Call it before MPI starts. Returns only where nothing is to be set, where the process was
/// started again before, or where the kernel refuses; then the environment is as it was.
void start_again_with(Settings const& settings, char** argv);

}  // namespace ddproxy
