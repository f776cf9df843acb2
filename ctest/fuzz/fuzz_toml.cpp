// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "ctest/fuzz/memory_file.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/toml/read_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
  try {
    ddproxy::check_can_run(ddproxy::read_config(ddproxy::fuzz::memory_file(bytes, count)));
  } catch (std::invalid_argument const&) {
  }
  return 0;
}
