// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/signals.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

inline constexpr char const* interrupted_text = "interrupted by a signal; what was measured is saved";

/// Returns whether any rank received a signal (miniapp/errors/signals.hpp). The result is the same on all
/// ranks. Collective.
bool signalled(Runtime const& runtime);

/// Throws CollectiveError (exit code 75) on all ranks if any rank received a signal. Collective.
void stop_where_signalled(Runtime const& runtime);

}  // namespace ddproxy
