// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/stuck_call.hpp"

#include <mutex>
#include <utility>

namespace ddproxy {
namespace {

std::mutex report_mutex;
std::function<void(std::string const&)> stored;  // guarded by report_mutex

std::function<void(std::string const&)> copy_of_stored() {
  const std::lock_guard lock(report_mutex);
  return stored;
}

}  // namespace

void on_stuck_main_thread(std::function<void(std::string const&)> end) {
  const std::lock_guard lock(report_mutex);
  stored = std::move(end);
}

void end_stuck_main_thread(std::string const& error) {
  if (const auto end = copy_of_stored()) end(error);
}

}  // namespace ddproxy
