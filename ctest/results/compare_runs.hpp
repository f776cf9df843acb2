// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/compare.hpp"

namespace ddproxy::test {

using results::CompareOptions;
using Paths = std::vector<std::filesystem::path>;

/// A fixture that writes files, compares them and keeps the output.
class Compare : public Folder {
 protected:
  // Writes the files of n runs, each with different noise. Returns their paths: `name`0.h5, `name`1.h5, ...
  Paths runs(std::string const& name, int n, Sample sample) {
    Paths paths;
    for (int k = 0; k < n; ++k) {
      paths.push_back(folder / (name + std::to_string(k) + ".h5"));
      sample.seed = static_cast<unsigned>(1000 * name[0] + k);
      make_sample(paths.back(), sample);
    }
    return paths;
  }

  // Compares, and returns the exit code. Keeps the table in `out` and the warnings in `warnings`.
  int compare(CompareOptions const& options) {
    std::ostringstream table, doubts;
    out = warnings = "";
    const int status = results::compare(options, table, doubts);
    out = table.str();
    warnings = doubts.str();
    return status;
  }

  // Compares, and expects a std::invalid_argument whose message is one line. Returns the message.
  std::string refused(CompareOptions const& options) {
    const auto text = message_of<std::invalid_argument>([&] { compare(options); });
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }

  // Compares, and expects exit code 0. An undecided comparison is accepted, too.
  void accept(CompareOptions options) {
    options.allow_undecided = true;
    EXPECT_EQ(compare(options), 0);
  }

  std::string row(std::string const& name) const {
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind(name + "  ", 0) == 0) return line;
    return "no row of " + name + " in\n" + out;
  }

  std::string out, warnings;
};

inline bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

inline std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ddproxy::test
