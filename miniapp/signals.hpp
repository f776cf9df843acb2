// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy {

/// From now on SIGINT, SIGTERM and SIGUSR1 are noted instead of ending the program.
void catch_signals();

/// True once one of them came, or set_signalled() was called.
bool signalled();
void set_signalled();

inline constexpr char const* interrupted_text = "interrupted by a signal; what was measured is saved";

}  // namespace ddproxy
