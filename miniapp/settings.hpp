// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "miniapp/launch.hpp"

namespace ddproxy {

/// Environment variables to set, by name.
using Settings = std::map<std::string, std::string>;

/// Whether the user told the OpenMP library how idle threads wait: the standard's variable, or one of GNU's
/// or LLVM's library.
bool says_how_threads_wait(Variables const& variable);

/// What OpenMP and OpenBLAS have to find in the environment before the program starts: the number of threads;
/// that idle threads sleep, where `threads` leave none of the `own_cores` to communication, with other ranks
/// (`communicates`); and `core_type` for OpenBLAS, unless it is empty. What the user set himself stays, but
/// for another number of threads: that was chosen with the user's in view. Empty where all is as it should
/// be.
Settings choose_settings(int threads, int own_cores, bool communicates, std::string const& core_type,
                         Variables const& variable);

/// As "NAME=value NAME=value".
std::string describe(Settings const& settings);

}  // namespace ddproxy
