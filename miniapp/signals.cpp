// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>
#include <string_view>

#include "miniapp/check.hpp"

namespace ddproxy {
namespace {

volatile std::sig_atomic_t flag = 0;

}  // namespace

void catch_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, [](int) { flag = 1; });
}

// Nothing but what a signal's handler may call.
void catch_device_failure() {
  std::signal(SIGABRT, [](int) {
    constexpr std::string_view text = "ddproxy: the device or its library failed, see above\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
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
