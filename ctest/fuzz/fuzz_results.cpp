// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes results files. A child process reads them, as in `compare`. If the HDF5 library crashes or hangs
// there, read_run() throws std::invalid_argument; this is no finding.
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
