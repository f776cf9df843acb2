// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes results files, which are read as `compare` reads them. The HDF5 library crashes and hangs in the
// child process only, and such a crash does not count.
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
