// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// Notes what this rank is doing, for messages of what takes too long: "verifying flat", or "pass 17 of the
/// sweep (flat)". Any thread may call both.
void note_step(std::string step);
/// What was noted last; empty where nothing was.
std::string noted_step();

}  // namespace ddproxy
