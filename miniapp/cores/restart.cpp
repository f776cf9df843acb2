// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/restart.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace ddproxy {
namespace {

// The environment variable that marks a second start. It holds the process id and the names of the variables
// that were set. A child process inherits the variable, but ignores it, because the process id is not its
// own.
constexpr char const* guard = "DDPROXY_SECOND_START";

std::string guard_value(Settings const& settings) {
  std::string text = fmt::format("{}", getpid());
  for (auto const& [name, value] : settings) text += " " + name;
  return text;
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

}  // namespace

std::optional<Settings> settings_of_second_start() {
  char const* const text = std::getenv(guard);
  std::istringstream words(text ? text : "");
  pid_t process = 0;
  if (!(words >> process) || process != getpid()) return std::nullopt;
  Settings settings;
  for (std::string name; words >> name;)
    if (char const* value = std::getenv(name.c_str())) settings[name] = value;
  return settings;
}

void start_again_with(Settings const& settings, char** argv) {
  if (settings.empty() || settings_of_second_start()) return;
  const auto program = own_program();
  if (program.empty()) return;
  std::map<std::string, std::optional<std::string>> before;
  for (auto const& [name, value] : settings) {
    char const* const old = std::getenv(name.c_str());
    before[name] = old ? std::optional<std::string>(old) : std::nullopt;
    setenv(name.c_str(), value.c_str(), 1);
  }
  setenv(guard, guard_value(settings).c_str(), 1);
  execv(program.c_str(), argv);
  unsetenv(guard);
  for (auto const& [name, old] : before)
    if (old)
      setenv(name.c_str(), old->c_str(), 1);
    else
      unsetenv(name.c_str());
}

}  // namespace ddproxy
