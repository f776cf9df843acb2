// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/toml/find_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "miniapp/input/toml/installed_folders.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_program() {
  std::error_code absent;
  return fs::read_symlink("/proc/self/exe", absent).parent_path();
}

// Returns the nearest folder `inputs` above the program; an empty path if there is none.
fs::path inputs_above(fs::path at) {
  std::error_code absent;
  for (; at.has_relative_path(); at = at.parent_path())
    if (fs::is_directory(at / "inputs", absent)) return at / "inputs";
  return {};
}

// Returns the file names to look for: NAME, and NAME.toml if NAME does not end with .toml.
std::vector<std::string> file_names(fs::path const& name) {
  if (name.extension() == ".toml") return {name.string()};
  return {name.string(), name.string() + ".toml"};
}

// Returns the file of this name in a folder. A folder of that name does not count.
std::optional<fs::path> file_in(fs::path const& folder, fs::path const& name) {
  for (auto const& file : file_names(name)) {
    std::error_code absent;
    const auto status = fs::status(folder / file, absent);
    if (fs::exists(status) && !fs::is_directory(status)) return folder / file;
  }
  return std::nullopt;
}

}  // namespace

fs::path shipped_inputs() {
  const fs::path program = folder_of_program();
  const fs::path installed = (program / share_from_programs / "inputs").lexically_normal();
  std::error_code absent;
  if (fs::is_directory(installed, absent)) return installed;
  const fs::path above = inputs_above(program);
  return above.empty() ? installed : above;
}

fs::path find_input(fs::path const& name) {
  if (name.empty() || name.has_parent_path()) return name;
  if (const auto here = file_in("", name)) return *here;
  const fs::path shipped = shipped_inputs();
  if (const auto found = file_in(shipped, name)) return *found;
  std::error_code absent;
  throw std::invalid_argument(fmt::format(
      "{}: there is no input file {} in the working directory {}, nor in {}{}; give the path of an input "
      "file, or the name of a file in one of these folders",
      model::echo(name.string()), model::echo(fmt::format("{}", fmt::join(file_names(name), " or "))),
      fs::current_path(absent).string(), shipped.string(),
      fs::is_directory(shipped, absent) ? "" : ", which does not exist"));
}

}  // namespace ddproxy
