// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ddproxy::results {

/// The resources that a child process may use. A child that exceeds its time is killed; one that exceeds its
/// memory gets an out-of-memory error.
struct ChildLimits {
  double seconds = 60.0;                      ///< elapsed time, and also processor time
  std::size_t memory = std::size_t{1} << 30;  ///< bytes in addition to what the program already uses
  std::size_t answer = std::size_t{1} << 30;  ///< largest answer, bytes
};

/// The end of a child process.
struct ChildEnd {
  std::optional<std::string> answer = {};  ///< what the work returned; nothing if it failed
  std::string trouble = {};                ///< without an answer: what happened, as "crashed (Aborted)"
};

/// Runs `work` in a child process (a fork of this process) and returns its answer.
///
/// The work may crash, abort, hang, exit or fill the memory: this process continues at most two seconds after
/// limits.seconds. The work has no standard output and no standard error. An exception that leaves the work
/// ends the child without an answer; its text is lost.
///
/// Call this only while no other thread of this process holds a lock that the work needs. Throws
/// std::runtime_error if no process can be started.
ChildEnd run_in_child(std::function<std::string()> const& work, ChildLimits const& limits);

}  // namespace ddproxy::results
