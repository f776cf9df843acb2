// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/output_clash.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "results/output/output_files.hpp"

namespace ddproxy {
namespace {

bool takes_anything(std::filesystem::path const& path) {
  std::error_code absent;
  const auto status = std::filesystem::status(path, absent);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

// Returns the option that names the file. If `use` is not an option, this is -o: all other files that a
// command writes are the results file or lie beside it.
std::string option_of(UsedFile const& written) {
  return written.use.starts_with("--") ? written.use : "-o";
}

void refuse_same(UsedFile const& written, UsedFile const& other, char const* consequence) {
  if (written.path.empty() || other.path.empty() || takes_anything(written.path)) return;
  if (results::is_same_file(written.path, other.path))
    throw std::invalid_argument(fmt::format("{}: this file is {}, and {} would {}; give another file to {}",
                                            written.path.string(), other.use, written.use, consequence,
                                            option_of(written)));
}

}  // namespace

std::vector<UsedFile> files_to_write(Options const& options) {
  if (results::is_reserved(options.output))
    throw std::invalid_argument(fmt::format(
        "{}: the endings .part, .part.1 and so on, and .lock belong to the files of a run that is "
        "not finished; give the results file another name (-o)",
        options.output.string()));
  return {{"the results file", options.output},
          {"the unfinished results file", options.output.string() + ".part"},
          {"--json", options.json},
          {"--trace", options.trace}};
}

void refuse_clashes(std::vector<UsedFile> const& read, std::vector<UsedFile> const& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (auto const& input : read) refuse_same(written[i], input, "overwrite it");
    for (std::size_t j = 0; j < i; ++j) refuse_same(written[i], written[j], "be written there too");
  }
}

}  // namespace ddproxy
