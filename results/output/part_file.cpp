// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/part_file.hpp"

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "results/output/durable.hpp"
#include "results/output/output_files.hpp"

namespace ddproxy::results {
namespace {

using Path = std::filesystem::path;

Path checked(Path path) {
  check_target(path);
  return path;
}

}  // namespace

PartFile::PartFile(Path path)
    : path_(checked(std::move(path))), part_(path_.string() + ".part"), lock_(path_) {
  if (std::filesystem::is_directory(part_)) fail_to_open(part_, EISDIR);
  if (no_locks().empty()) remove_abandoned(part_);
  keep_earlier();
}

void PartFile::keep_earlier() {
  if (identity_of(part_) == FileIdentity{}) return;
  Path name;
  for (int number = 1; name.empty() || identity_of(name) != FileIdentity{}; ++number)
    name = part_.string() + "." + std::to_string(number);
  if (std::rename(part_.c_str(), name.c_str()) != 0) fail_to_open(part_, errno);
  kept_ = name;
}

// Throws if another program or a user has replaced PATH.part, or if another program has taken the lock. The
// lock prevents other runs from replacing PATH.part, except on a file system without locks.
void PartFile::check_ours() {
  const auto there = identity_of(part_);
  const bool taken = there != FileIdentity{} && there != written_;
  if (taken || !lock_->renew())
    throw std::runtime_error(
        "cannot write " + part_.string() +
        ": another program has taken it while this run went on; start the run again with "
        "another results file (-o)");
}

void PartFile::replace(std::string_view bytes) try {
  check_ours();
  FreshFile fresh(part_);
  fresh.write(bytes);
  fresh.take_place();
  written_ = fresh.identity();
} catch (std::invalid_argument const& error) {  // the name is valid: it could be written at the start
  throw std::runtime_error(error.what());
}

void PartFile::finish() try {
  check_ours();
  rename_durably(part_, path_);
} catch (std::invalid_argument const& error) {  // as in replace()
  throw std::runtime_error(error.what());
}

}  // namespace ddproxy::results
