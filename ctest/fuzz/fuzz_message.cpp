// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the message that carries a run from the child process, which reads a results file, to `compare`.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "results/run/run_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
  using namespace ddproxy::results;
  const std::string_view message(reinterpret_cast<char const*>(bytes), count);
  try {
    const Run run = unpack(message);
    if (pack(unpack(pack(run))) != pack(run)) std::abort();
  } catch (std::invalid_argument const&) {
  }
  return 0;
}
