// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/miniapp/allocation_watch.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>

#include "ctest/miniapp/program_symbols.hpp"

namespace {

constexpr std::size_t most_frames = 24, most_stacks = 20000;

struct Stack {
  std::array<void*, most_frames> frames;
  int count = 0;
};
std::array<Stack, most_stacks> stacks;
std::atomic<std::size_t> recorded = 0;
std::atomic<bool> watching = false;
thread_local bool recording = false;  // ends the recursion: backtrace() may allocate

void record() {
  if (!watching || recording) return;
  recording = true;
  const std::size_t number = recorded++;
  if (number < most_stacks)
    stacks[number].count = backtrace(stacks[number].frames.data(), static_cast<int>(most_frames));
  recording = false;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  record();
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  return alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded)
                                               : std::malloc(rounded);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// new[] and delete[] call the operators below. None of these may be inlined: g++ 16 would inline `delete`
// only, and then warn that free() gets memory of `new`.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes, 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  return allocate(bytes, 1);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment,
                                     std::nothrow_t const&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::nothrow_t const&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t, std::nothrow_t const&) noexcept {
  std::free(memory);
}

namespace ddproxy {
namespace {

enum class Owner { own, other, caller };

bool contains(std::string const& text, char const* part) {
  return text.find(part) != std::string::npos;
}

// Returns who owns an allocation that the function at `address` made: ddproxy (own), another library (other),
// or whoever called the function (caller).
Owner owner_of(ProgramSymbols const& symbols, void const* address) {
  const std::string name = symbols.name_at(address);
  if (contains(name, "ddproxy::")) return Owner::own;
  if (contains(name, "Kokkos::")) return Owner::other;
  if (symbols.in_program(address)) return Owner::caller;
  Dl_info info{};
  const std::string library = dladdr(address, &info) != 0 ? info.dli_fname : "";
  const bool for_its_caller = contains(library, "libstdc++") || contains(library, "libc++") ||
                              contains(library, "libfmt") || contains(library, "/libc.");
  return for_its_caller ? Owner::caller : Owner::other;
}

// Returns an address for each call of the stack, the innermost call first. It lies inside the call's
// instruction. A frame holds the return
// address, which may lie after the end of the calling function. The byte before the return address belongs to
// the call.
std::vector<char const*> calls_of(Stack const& stack) {
  std::vector<char const*> calls;
  for (void* frame : std::span(stack.frames).first(static_cast<std::size_t>(stack.count)))
    calls.push_back(static_cast<char const*>(frame) - 1);
  return calls;
}

// Returns the call stack as text if the allocation is ddproxy's own, else an empty text.
std::string own_stack(ProgramSymbols const& symbols, Stack const& stack) {
  const auto calls = calls_of(stack);
  const auto decides =
      std::ranges::find_if(calls, [&](char const* call) { return owner_of(symbols, call) != Owner::caller; });
  if (decides != calls.end() && owner_of(symbols, *decides) == Owner::other) return "";
  std::string text;
  for (auto call = decides; call != calls.end() && call - decides < 4; ++call)
    text += (text.empty() ? "" : " <- ") + symbols.name_at(*call);
  return text.empty() ? "unknown" : text;
}

}  // namespace

void watch_allocations() {
  recorded = 0;
  watching = true;
}

std::vector<std::string> own_allocations() {
  watching = false;
  static const ProgramSymbols symbols;
  std::vector<std::string> own;
  for (Stack const& stack : std::span(stacks).first(std::min<std::size_t>(recorded, most_stacks)))
    if (const auto text = own_stack(symbols, stack); !text.empty()) own.push_back(text);
  if (recorded > most_stacks) own.push_back("too many allocations to record: " + std::to_string(recorded));
  return own;
}

}  // namespace ddproxy
