// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy {

/// Lets two programs that share the same cores take turns, sample by sample. One program measures while the
/// other one sleeps.
///
/// `scripts/gate` holds the other ends of both pipes and decides whose turn it is. A turn begins when
/// scripts/gate writes a byte to `go`. The turn ends when this program writes a byte to `ready`, or exits.
/// Only rank 0 uses this class.
class Turns {
 public:
  /// Opens both pipes. If `go` is empty, opens nothing; then there are no turns, and wait() returns at once.
  /// Throws std::invalid_argument if a pipe cannot be opened.
  Turns(std::filesystem::path const& go, std::filesystem::path const& ready);
  ~Turns();
  Turns(Turns const&) = delete;
  Turns& operator=(Turns const&) = delete;

  /// Ends the present turn, if one has begun. Sleeps until the next turn begins, and returns true. Returns
  /// false at once if this object opened no pipes. Returns false within half a second if a signal arrives.
  /// Throws std::runtime_error if the other end of a pipe is closed.
  bool wait();

 private:
  int go_ = -1, ready_ = -1;
};

}  // namespace ddproxy
