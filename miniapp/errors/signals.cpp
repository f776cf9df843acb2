// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/signals.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <string>

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

volatile std::sig_atomic_t flag = 0;
std::string aborted_text;

}  // namespace

void catch_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, [](int) { flag = 1; });
}

// A signal handler may call only a few functions. Formatting is not among them, so the message is formatted
// in advance.
void catch_device_failure(int rank) {
  aborted_text = fmt::format(
      "ddproxy: rank {}: aborted; the lines above say why. Most often the rank's device has failed\n", rank);
  std::signal(SIGABRT, [](int) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, aborted_text.data(), aborted_text.size());
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
