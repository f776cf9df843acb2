// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/sweep/turns.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "miniapp/errors/signals.hpp"

namespace ddproxy {
namespace {

int open_pipe(std::filesystem::path const& path, int mode) {
  const int file = open(path.c_str(), mode | O_CLOEXEC);
  if (file < 0)
    throw std::invalid_argument(fmt::format("--turns {}: {}; give two named pipes that scripts/gate made",
                                            path.string(), std::strerror(errno)));
  return file;
}

[[noreturn]] void fail() {
  throw std::runtime_error(
      "--turns: scripts/gate, which decides whose turn it is, has ended; start scripts/gate again");
}

}  // namespace

Turns::Turns(std::filesystem::path const& go, std::filesystem::path const& ready) {
  if (go.empty()) return;
  go_ = open_pipe(go, O_RDONLY | O_NONBLOCK);
  ready_ = open_pipe(ready, O_WRONLY | O_NONBLOCK);
}

Turns::~Turns() {
  if (go_ >= 0) close(go_);
  if (ready_ >= 0) close(ready_);
}

bool Turns::wait() {
  if (go_ < 0) return false;
  char byte = 'r';
  if (write(ready_, &byte, 1) != 1) fail();
  constexpr int look_for_signals_ms = 500;
  while (!signalled()) {
    pollfd events{go_, POLLIN, 0};
    if (poll(&events, 1, look_for_signals_ms) <= 0) continue;
    const auto count = read(go_, &byte, 1);
    if (count == 1) return true;
    if (count == 0) fail();
  }
  return false;
}

}  // namespace ddproxy
