// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ddproxy::results {

/// What a child process may use. Beyond that it is killed, or told that there is no more memory.
struct ChildLimits {
  double seconds = 60.0;                      ///< from start to end, and of processor time
  std::size_t memory = std::size_t{1} << 30;  ///< bytes beside what the program has already
  std::size_t answer = std::size_t{1} << 30;  ///< bytes
};

/// How a child process ended.
struct ChildEnd {
  std::optional<std::string> answer = {};  ///< what the work returned
  std::string trouble = {};                ///< without an answer: what happened, as "crashed (Aborted)"
};

/// Runs `work` in a child process (a fork of this one) and returns its answer. Whatever the work does, this
/// process goes on within limits.seconds and two more: the work may crash, abort, hang, exit or fill the
/// memory. It has no standard output and error. An exception that leaves the work is trouble, without its
/// text. To be called while this process has no other thread that holds a lock the work needs. Throws
/// std::runtime_error where no process can be started.
ChildEnd run_in_child(std::function<std::string()> const& work, ChildLimits const& limits);

}  // namespace ddproxy::results
