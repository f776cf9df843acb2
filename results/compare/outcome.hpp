// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

/// What a comparison decides as a whole. `undecided` is no pass: nothing was found to be slower, and a
/// slowdown by the tolerance was not excluded either.
enum class Decision { unchanged, slower, undecided };

/// A decision and the sentence that explains it, for people.
struct Outcome {
  Decision decision = Decision::undecided;
  std::string reason;
};

inline constexpr int exit_unchanged = 0, exit_slower = 1, exit_undecided = 5;

/// The exit code of a decision: 0, 1 or 5; with `allow_undecided` (--allow-undecided) 0 instead of 5.
constexpr int exit_code_of(Decision decision, bool allow_undecided) {
  if (decision == Decision::slower) return exit_slower;
  return decision == Decision::undecided && !allow_undecided ? exit_undecided : exit_unchanged;
}

}  // namespace ddproxy::results
