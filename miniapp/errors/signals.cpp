// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/signals.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <string>

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

volatile std::sig_atomic_t flag = 0;
volatile std::sig_atomic_t has_ended = 0;
// These texts are never destroyed, because a signal may also arrive while the program ends.
auto& aborted_text = *new std::string;
auto& notice_text = *new std::string;

// Writes to standard error. A signal handler may call it.
void print(std::string const& text) {
  const int error = errno;  // the interrupted code may be about to read it
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  errno = error;
}

}  // namespace

// A signal handler may call only a few functions. Formatting is not among them, so messages are formatted in
// advance.
void catch_signals(std::string_view notice) {
  if (!notice.empty()) notice_text = fmt::format("{}\n", notice);
  for (int signal : {SIGINT, SIGTERM, SIGUSR1})
    std::signal(signal, [](int) {
      if (flag == 0 && has_ended == 0) print(notice_text);
      flag = 1;
    });
}

void end_signal_notice() {
  has_ended = 1;
}

void catch_device_failure(int rank) {
  aborted_text = fmt::format(
      "ddproxy: rank {}: aborted; the lines above say why. Most often the rank's device has failed\n", rank);
  std::signal(SIGABRT, [](int) {
    print(aborted_text);
    _exit(exit_run_time);
  });
}

bool signalled() {
  return flag != 0;
}
void set_signalled() {
  flag = 1;
}

}  // namespace ddproxy
