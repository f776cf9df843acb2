// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/signals.hpp"

#include <csignal>
#include <initializer_list>

namespace ddproxy {
namespace {

volatile std::sig_atomic_t flag = 0;

}  // namespace

void catch_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, [](int) { flag = 1; });
}

bool signalled() {
  return flag != 0;
}
void set_signalled() {
  flag = 1;
}

}  // namespace ddproxy
