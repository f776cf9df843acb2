// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/miniapp/program_symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace ddproxy {
namespace {

// Returns what is added to the addresses in the file when the program is loaded. The program is the first
// object in the list of the loader.
std::uintptr_t load_address() {
  std::uintptr_t address = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // ends the iteration
      },
      &address);
  return address;
}

template <class T>
T const* at(std::vector<char> const& file, std::size_t offset) {
  return reinterpret_cast<T const*>(file.data() + offset);
}

}  // namespace

ProgramSymbols::ProgramSymbols() {
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  const std::vector<char> file(std::istreambuf_iterator<char>(stream), {});
  auto const* header = at<ElfW(Ehdr)>(file, 0);
  auto const* sections = at<ElfW(Shdr)>(file, header->e_shoff);
  const std::uintptr_t base = load_address();
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    auto const* symbols = at<ElfW(Sym)>(file, sections[s].sh_offset);
    char const* names = file.data() + sections[sections[s].sh_link].sh_offset;
    for (std::size_t i = 0; i < sections[s].sh_size / sizeof(ElfW(Sym)); ++i) {
      if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_size == 0) continue;
      const std::uintptr_t first = base + symbols[i].st_value;
      functions_.push_back({first, first + symbols[i].st_size, names + symbols[i].st_name});
    }
  }
  if (functions_.empty()) throw std::runtime_error("the program has no symbol table; link it without -s");
  std::ranges::sort(functions_, {}, &Function::first);
}

ProgramSymbols::Function const* ProgramSymbols::find(void const* address) const {
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  const auto after = std::ranges::upper_bound(functions_, here, {}, &Function::first);
  if (after == functions_.begin()) return nullptr;
  auto const& before = *std::prev(after);
  return here < before.end ? &before : nullptr;
}

std::string ProgramSymbols::name_at(void const* address) const {
  auto const* function = find(address);
  if (function == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(function->name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : function->name;
}

}  // namespace ddproxy
