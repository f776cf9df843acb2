// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/signals.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

inline constexpr char const* interrupted_text = "interrupted by a signal; what was measured is saved";

/// Returns whether a signal came to any rank. Collective.
bool signalled(Runtime const& runtime);

/// Throws CollectiveError (exit 75) on all ranks where a signal came to any of them. Collective.
void stop_where_signalled(Runtime const& runtime);

}  // namespace ddproxy
