// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy {

/// Lets two programs that share the same cores take turns, sample by sample: one measures, the other sleeps.
/// `scripts/gate` holds the other ends of both pipes and decides whose turn it is. A turn lasts from the byte
/// that it writes to `go` until this program writes one to `ready`, or ends. Rank 0 alone uses it.
class Turns {
 public:
  /// Opens both pipes; does nothing, and never waits, where `go` is empty. Throws std::invalid_argument for a
  /// pipe that cannot be opened.
  Turns(std::filesystem::path const& go, std::filesystem::path const& ready);
  ~Turns();
  Turns(Turns const&) = delete;
  Turns& operator=(Turns const&) = delete;

  /// Hands the turn back and sleeps until the next one. Returns false, at once, where there are no turns, and
  /// where a signal came. Throws std::runtime_error where the other end of a pipe is closed.
  bool wait();

 private:
  int go_ = -1, ready_ = -1;
};

}  // namespace ddproxy
