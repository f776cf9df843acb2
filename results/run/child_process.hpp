// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace ddproxy::results {

/// Limits the resources of a child process. A child that exceeds its time is killed. In a child that exceeds
/// its memory, allocations fail.
struct ChildLimits {
  double seconds = 60.0;                      ///< elapsed time, and also processor time
  std::size_t memory = std::size_t{1} << 30;  ///< bytes of address space beyond what the program uses already
  std::size_t answer = std::size_t{1} << 30;  ///< largest answer, bytes
};

/// Describes how a child process ended.
struct ChildEnd {
  std::optional<std::string> answer = {};  ///< the text that the work returned; nothing if it failed
  std::string trouble = {};  ///< if there is no answer: the reason, for instance "crashed (Aborted)"
};

/// Runs `work` in a child process (a fork of this process) and returns its answer.
///
/// The work may crash, abort, hang, exit or fill the memory. In each case this process continues at most two
/// seconds after limits.seconds. The standard output and the standard error of the work are discarded. If an
/// exception leaves the work, the child ends without an answer, and the text of the exception is lost.
///
/// Call this function only if no other thread of this process holds a lock that the work needs. Throws
/// std::runtime_error if no process can be started.
ChildEnd run_in_child(std::function<std::string()> const& work, ChildLimits const& limits);

}  // namespace ddproxy::results
