// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/pinning.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "miniapp/cores/launch.hpp"

namespace ddproxy {
namespace {

// The communication cores of this rank, which pin_rank() stores; nothing if it got none.
std::optional<cpu_set_t> communication_set;

int processor(std::string_view text, std::string_view option, std::string_view entry) {
  int number = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < 0 || number >= CPU_SETSIZE)
    throw std::invalid_argument(
        fmt::format("{} {}: give a processor such as 0, or a range such as 0-3", option, entry));
  return number;
}

// Adds a processor ("0") or a range of processors ("0-3") to the set.
void add_range(std::string_view entry, std::string_view option, cpu_set_t& set) {
  const auto dash = entry.find('-');
  const int first = processor(entry.substr(0, dash), option, entry);
  const int last = dash == std::string_view::npos ? first : processor(entry.substr(dash + 1), option, entry);
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = first; cpu <= last; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      throw std::invalid_argument(
          fmt::format("{} {}: this process may not use processor {}; give a processor that it may use",
                      option, entry, cpu));
    CPU_SET(cpu, &set);
  }
  if (last < first)
    throw std::invalid_argument(
        fmt::format("{} {}: the range is empty; give the lower processor first", option, entry));
}

cpu_set_t parse(std::string_view entry, std::string_view option) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
    end = entry.find('+', at);
    add_range(entry.substr(at, end - at), option, set);
  }
  return set;
}

std::optional<cpu_set_t> own_entry(std::vector<std::string> const& entries, std::string_view option) {
  if (entries.empty()) return {};
  const auto rank = find_local_rank([](char const* name) { return std::getenv(name); }).rank;
  if (rank >= entries.size())
    throw std::invalid_argument(fmt::format(
        "{}: there {} only {}, so rank {} of the node (counted from 0) has none; give one entry for "
        "each rank of the node",
        option, entries.size() == 1 ? "is" : "are",
        entries.size() == 1 ? "1 entry" : fmt::format("{} entries", entries.size()), rank));
  return parse(entries[rank], option);
}

}  // namespace

void pin_rank(std::vector<std::string> const& compute, std::vector<std::string> const& communication) {
  const auto own = own_entry(compute, "--compute-cores");
  communication_set = own_entry(communication, "--communication-cores");
  if (own) sched_setaffinity(0, sizeof *own, &*own);
}

cpu_set_t allowed_processors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  if (communication_set) CPU_OR(&own, &own, &*communication_set);
  return own;
}

void pin_communication_thread() {
  if (communication_set) sched_setaffinity(0, sizeof *communication_set, &*communication_set);
}

}  // namespace ddproxy
