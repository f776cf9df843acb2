// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ddproxy {

/// A temporary folder for input files. The destructor removes it. All objects of a process have the same
/// folder, so a test must not use two of them at the same time.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("ddproxy_input_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path file(std::string const& name, std::string const& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ddproxy
