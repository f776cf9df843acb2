// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// Stores a text that says what this rank is doing, for instance "verifying flat" or "in pass 17 of the sweep
/// (flat)". The message about a call that takes too long contains this text. Any thread may call this
/// function.
void note_step(std::string step);
/// Returns the text that note_step() stored last. Returns an empty text if note_step() has stored none. Any
/// thread may call this function.
std::string noted_step();

}  // namespace ddproxy
