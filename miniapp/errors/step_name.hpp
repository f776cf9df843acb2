// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// Stores what this rank is doing, for the message about a call that takes too long. For instance "verifying
/// flat" or "pass 17 of the sweep (flat)". Any thread may call it.
void note_step(std::string step);
/// Returns the step that note_step() stored last; empty if there was none. Any thread may call it.
std::string noted_step();

}  // namespace ddproxy
