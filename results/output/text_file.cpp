// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string_view>

#include "results/output/output_files.hpp"

namespace ddproxy::results {
namespace {

using Path = std::filesystem::path;

// Writes the text and closes the file. Returns 0, or errno. Some file systems report only in close() that
// they are full.
int write_and_close(int file, std::string_view text) {
  int reason = 0;
  while (!text.empty() && reason == 0) {
    const auto written = write(file, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      reason = errno;
  }
  if (close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

void write_directly(Path const& path, std::string const& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_to_open(path, errno);
  if (const int reason = write_and_close(file, text)) fail_to_write(path, reason);
}

// Returns true for a pipe or a device, and for a file in a folder in which no new file can be created.
bool is_written_directly(Path const& path) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) return false;
  if (!std::filesystem::is_regular_file(path, absent)) return true;
  const auto folder = path.has_parent_path() ? path.parent_path() : Path(".");
  return access(folder.c_str(), W_OK | X_OK) != 0 && errno == EACCES;
}

// Returns the file to which a link leads, so that the link itself is kept.
Path target_of(Path const& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const auto target = std::filesystem::weakly_canonical(path, failed);
  if (failed) fail_to_open(path, failed.value());
  return target;
}

}  // namespace

TextFiles::Prepared TextFiles::prepare(TextFile const& file) {
  // This check comes first, because /dev/stdout may lead to a pipe, which has no path.
  if (is_written_directly(file.path)) return {file.path, nullptr, file.text};
  Prepared prepared{target_of(file.path), nullptr, ""};
  prepared.file = std::make_unique<FreshFile>(prepared.path);
  prepared.file->keep_rights();
  prepared.file->write(file.text);
  return prepared;
}

void TextFiles::attempt(std::function<void()> const& action) try {
  action();
} catch (std::exception const& error) {
  if (failure_.empty()) failure_ = error.what();
}

TextFiles::TextFiles(std::vector<TextFile> const& files) {
  for (auto const& file : files)
    attempt([&] {
      if (!is_written_directly(file.path)) replaced_.push_back(target_of(file.path));
      files_.push_back(prepare(file));
    });
}

void TextFiles::remove_old() const {
  std::error_code absent;
  for (auto const& path : replaced_)
    if (std::filesystem::is_regular_file(path, absent)) unlink(path.c_str());
}

void TextFiles::take_place() {
  for (auto const& file : files_)
    attempt([&] { file.file ? file.file->take_place() : write_directly(file.path, file.text); });
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

void write_text(Path const& path, std::string const& text) {
  const auto prepared = TextFiles::prepare({path, text});
  prepared.file ? prepared.file->take_place() : write_directly(prepared.path, text);
}

}  // namespace ddproxy::results
