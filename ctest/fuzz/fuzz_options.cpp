// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the command line. The input has one argument per line.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "miniapp/input/options/parse_options.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t count) {
  std::istringstream lines(std::string(reinterpret_cast<char const*>(bytes), count));
  std::vector<std::string> arguments{"ddproxy"};
  for (std::string line; std::getline(lines, line);) arguments.push_back(line);
  std::vector<char const*> pointers;
  for (auto const& argument : arguments) pointers.push_back(argument.c_str());
  pointers.push_back(nullptr);
  int exit_code = 0;
  ddproxy::parse_options(static_cast<int>(arguments.size()), pointers.data(), "0", false, exit_code);
  return 0;
}
