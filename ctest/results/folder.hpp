// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ddproxy::test {

/// A fixture that creates a new temporary folder for each test, and removes the folder after the test.
class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ddproxy-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};

/// Returns the message of the exception of type `Exception` that `action` throws. If `action` throws no
/// exception, or one of another type, fails the test and returns an empty text.
template <class Exception, class Action>
std::string message_of(Action const& action) {
  try {
    action();
  } catch (Exception const& error) {
    return error.what();
  } catch (std::exception const& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

}  // namespace ddproxy::test
