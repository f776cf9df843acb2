// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/options.hpp"

#include <gtest/gtest.h>

namespace ddproxy {
namespace {

std::optional<Options> parse(std::vector<char const*> arguments, int& code) {
  arguments.insert(arguments.begin(), "ddproxy");
  return parse_options(static_cast<int>(arguments.size()), arguments.data(), "1.2.3", false, code);
}

TEST(Options, ACommandTakesAnInputAndOptions) {
  int code = 0;
  const auto options = parse({"run", "in.toml", "-o", "out.h5", "--json", "out.json"}, code);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->command, "run");
  EXPECT_EQ(options->input, "in.toml");
  EXPECT_EQ(options->output, "out.h5");
  EXPECT_EQ(options->json, "out.json");
}

TEST(Options, WhatFollowsTheTwoDashesIsGoogleBenchmarks) {
  int code = 0;
  const auto options = parse({"sweep", "in.toml", "--", "--benchmark_filter=flat"}, code);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->benchmark, std::vector<std::string>{"--benchmark_filter=flat"});
}

TEST(Options, BadUsageIsTwo) {
  const std::vector<std::vector<char const*>> bad{{},
                                                  {"run"},
                                                  {"rum", "in.toml"},
                                                  {"run", "in.toml", "--bogus"},
                                                  {"allreduce", "in.toml", "--chunks", "0"}};
  for (auto const& arguments : bad) {
    int code = 0;
    EXPECT_FALSE(parse(arguments, code));
    EXPECT_EQ(code, 2);
  }
}

TEST(Options, HelpAndVersionAreFine) {
  for (char const* word : {"--help", "--version"}) {
    int code = -1;
    EXPECT_FALSE(parse({word}, code));
    EXPECT_EQ(code, 0);
  }
}

}  // namespace
}  // namespace ddproxy
