// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/echo.hpp"

#include <gtest/gtest.h>

namespace ddproxy::model {
namespace {

TEST(Echo, KeepsPrintableText) {
  for (const std::string text : {"", "bucketed/25", "M\xC3\xBCller", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_printable(text)) << text;
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Echo, EscapesControlCharactersAndInvalidUtf8) {
  const auto expect = [](std::string_view text, std::string const& shown) {
    EXPECT_FALSE(is_printable(text)) << shown;
    EXPECT_EQ(printable(text), shown);
  };
  expect("a\x1b[2Jb", "a\\x1B[2Jb");
  expect("a\nb\t", "a\\x0Ab\\x09");
  expect(std::string_view("a\0b", 3), "a\\x00b");
  expect("\x7F", "\\x7F");
  expect("\xC2\x9B", "\\xC2\\x9B");           // a terminal may read it as ESC [
  expect("\xE2\x80\xAE", "\\xE2\\x80\\xAE");  // reverses the direction of text
  expect("\xEF\xBF\xBF", "\\xEF\\xBF\\xBF");  // not allowed in XML
  expect("\xFF", "\\xFF");
  expect("\xC3", "\\xC3");                             // truncated
  expect("\xC0\x80", "\\xC0\\x80");                    // overlong
  expect("\xE0\x80\x80", "\\xE0\\x80\\x80");           // overlong
  expect("\xED\xA0\x80", "\\xED\\xA0\\x80");           // half of a surrogate pair
  expect("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(Echo, CutsAfterEightyCharactersAndSaysHowManyBytesAreMissing) {
  EXPECT_EQ(echo(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(echo(std::string(1000081, 'x')), std::string(80, 'x').append("[and 1000001 bytes more]"));
  EXPECT_EQ(echo("\xC3\xBC\xC3\xBC\xC3\xBC", 2), "\xC3\xBC\xC3\xBC[and 2 bytes more]");
  EXPECT_EQ(echo("\x1b\x1b", 1), "\\x1B[and 1 byte more]");
}

}  // namespace
}  // namespace ddproxy::model
