// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/table_paths.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <filesystem>
#include <stdexcept>

#include "miniapp/app/tables.hpp"
#include "results/output/fresh_file.hpp"

namespace ddproxy {
namespace {

using Path = std::filesystem::path;

// Returns the largest number of characters that the file system of this path allows in a name.
std::size_t longest_name(Path const& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const long most = pathconf(folder.c_str(), _PC_NAME_MAX);
  return most > 0 ? static_cast<std::size_t>(most) : NAME_MAX;
}

// A table is first written under a temporary name, which is longer than its own name.
void refuse_long_name(Path const& output, char const* ending) {
  const std::size_t length = results::fresh_name_length(beside(output, ending)), most = longest_name(output);
  if (length <= most) return;
  throw std::invalid_argument(fmt::format(
      "{}: this name is too long; shorten it (-o) to {} characters or fewer. The temporary name of the table "
      "with the ending {} would have {} characters, and the file system allows {}",
      output.string(), output.filename().string().size() + most - length, ending, length, most));
}

void refuse_folder(Path const& table) {
  std::error_code reason;
  const auto there = std::filesystem::status(table, reason);
  const bool is_folder = std::filesystem::is_directory(there);
  if (!is_folder && there.type() != std::filesystem::file_type::none) return;
  throw std::invalid_argument(fmt::format(
      "{}: {}, but this run would write a table to this path; give the results file another name (-o)",
      table.string(), is_folder ? "it is a folder" : reason.message()));
}

}  // namespace

void check_table_paths(Options const& options) {
  if (options.command == "sweep") return;
  for (char const* ending : table_endings) {
    refuse_long_name(options.output, ending);
    refuse_folder(beside(options.output, ending));
  }
}

}  // namespace ddproxy
