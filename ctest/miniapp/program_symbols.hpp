// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddproxy {

/// The functions of the running program, by address, from the symbol table of its ELF file. dladdr() does not
/// know functions with internal linkage, for instance those of unnamed namespaces.
class ProgramSymbols {
 public:
  /// Reads the symbol table. Throws std::runtime_error if the program was stripped.
  ProgramSymbols();
  /// Returns the name of the function at an address, with its namespaces and arguments. Returns an empty text
  /// if the address is in no function of the program.
  std::string name_at(void const* address) const;
  /// Returns whether an address is in a function of the program, and not in a shared library.
  bool in_program(void const* address) const { return find(address) != nullptr; }

 private:
  struct Function {
    std::uintptr_t first, end;
    std::string name;  // mangled
  };
  Function const* find(void const* address) const;

  std::vector<Function> functions_;  // by rising address
};

}  // namespace ddproxy
