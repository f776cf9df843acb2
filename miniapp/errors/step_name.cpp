// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/step_name.hpp"

#include <mutex>

namespace ddproxy {
namespace {

std::mutex name_mutex;
std::string current;  // guarded by name_mutex

}  // namespace

void note_step(std::string step) {
  const std::lock_guard lock(name_mutex);
  current = std::move(step);
}

std::string noted_step() {
  const std::lock_guard lock(name_mutex);
  return current;
}

}  // namespace ddproxy
