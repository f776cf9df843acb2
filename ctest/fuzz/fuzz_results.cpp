// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// A results file through the door of `compare`. The library's own crashes and hangs happen in the child
// process and are none here.
#include <stdexcept>

#include "ctest/fuzz/memory_file.hpp"
#include "results/run/run_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
  try {
    ddproxy::results::read_run(ddproxy::fuzz::memory_file(bytes, count), 2.0);
  } catch (std::invalid_argument const&) {
  }
  return 0;
}
