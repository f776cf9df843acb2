// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

/// The decision of a comparison as a whole. `undecided` is no success: no slowdown was found, but a slowdown
/// by more than the tolerance could not be excluded either.
enum class Decision { unchanged, slower, undecided };

/// Holds a decision, and a text of one line that explains it to the user.
struct Outcome {
  Decision decision = Decision::undecided;
  std::string reason;
};

inline constexpr int exit_unchanged = 0, exit_slower = 1, exit_undecided = 5;

/// Returns the exit code of a decision: 0, 1 or 5. With `allow_undecided` (--allow-undecided) it returns 0
/// instead of 5.
constexpr int exit_code_of(Decision decision, bool allow_undecided) {
  if (decision == Decision::slower) return exit_slower;
  return decision == Decision::undecided && !allow_undecided ? exit_undecided : exit_unchanged;
}

}  // namespace ddproxy::results
