// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/find_input.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "miniapp/input/installed_folders.hpp"
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

// Returns the file NAME or NAME.toml of a folder. A folder of that name does not count.
std::optional<fs::path> file_in(fs::path const& folder, fs::path const& name) {
  for (auto const& path : {folder / name, folder / (name.string() + ".toml")}) {
    std::error_code absent;
    const auto status = fs::status(path, absent);
    if (fs::exists(status) && !fs::is_directory(status)) return path;
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
      "{0}: there is no input file {0} or {0}.toml in the working directory {1}, nor in {2}{3}; give the path "
      "of an input file, or the name of a file in one of these folders",
      model::echo(name.string()), fs::current_path(absent).string(), shipped.string(),
      fs::is_directory(shipped, absent) ? "" : ", which does not exist"));
}

}  // namespace ddproxy
