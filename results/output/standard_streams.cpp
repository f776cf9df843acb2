// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include "model/text/echo.hpp"

namespace ddproxy::results {
namespace {

int first_reason = 0;  // errno of the first print_output() that failed

// Escapes control characters except line ends, and adds a line end. File names come from outside, and their
// control characters must not reach a terminal.
std::string shown(std::string_view text) {
  std::string lines;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    lines.append(model::printable(text.substr(0, end))).append("\n");
    text.remove_prefix(end + 1);
  }
  return lines.append(model::printable(text)).append("\n");
}

}  // namespace

// Opens each closed descriptor in the wrong direction: standard input for writing, the other two for reading.
// So reading standard input and writing to the other two fail, as they would with a closed descriptor.
void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)  // open() returns the lowest free number
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void say_error(std::string_view text) noexcept try {
  const std::string line = shown(text);
  std::string_view rest = line;
  while (!rest.empty()) {
    const auto written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
} catch (...) {  // no memory for the line
}

void print_output(std::string_view text) noexcept {
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);  // a library may flush stdout later, and the error of that flush would be lost
  if (std::ferror(stdout) != 0 && first_reason == 0) first_reason = errno;
}

void flush_standard_output() {
  const bool streamed = static_cast<bool>(std::cout.flush());
  errno = 0;
  const bool printed = std::fflush(stdout) == 0;
  const int reason = first_reason != 0 ? first_reason : errno;
  if (streamed && printed && std::ferror(stdout) == 0) return;
  throw std::runtime_error(
      "cannot write standard output: " +
      std::string(reason ? std::strerror(reason) : "a part of it could not be written; is the disk full?"));
}

}  // namespace ddproxy::results
