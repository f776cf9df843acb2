// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/child_process.hpp"
#include "results/run/read_in_child.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddproxy::results {
namespace {

constexpr ChildLimits usual{.seconds = 20};

ChildEnd ended(std::function<std::string()> const& work, ChildLimits const& limits = usual) {
  return run_in_child(work, limits);
}

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

TEST(ChildProcess, ReturnsBinaryAnswersOfAnyLength) {
  for (const std::size_t length : {0u, 1u, 65536u, 5000000u}) {
    const std::string answer(length, '\0');
    EXPECT_EQ(ended([&] { return answer; }).answer, answer);
  }
}

TEST(ChildProcess, SaysHowTheChildDied) {
  const auto trouble = [](auto const& work) {
    const auto end = ended([&]() -> std::string { return work(), "never"; });
    EXPECT_FALSE(end.answer);
    return end.trouble;
  };
  EXPECT_TRUE(contains(trouble([] { std::raise(SIGSEGV); }), "crashed (Segmentation fault)"));
  EXPECT_TRUE(contains(trouble([] { std::abort(); }), "crashed (Aborted)"));
  EXPECT_TRUE(contains(trouble([] { std::raise(SIGKILL); }), "was killed"));
  EXPECT_TRUE(contains(trouble([] { _exit(3); }), "exit code 3"));
  EXPECT_TRUE(contains(trouble([] { throw 1; }), "exit code 1"));
}

TEST(ChildProcess, DoesNotPrintTheOutputOfTheChild) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  ended([] {
    std::cout << "out" << std::flush;
    std::cerr << "error" << std::flush;
    return "";
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout(), "");
}

TEST(ChildProcess, EndsAChildThatSleepsLoopsOrIsStopped) {
  const auto began = std::chrono::steady_clock::now();
  const auto expect_too_long = [](auto const& work) {
    const auto end = ended([&]() -> std::string { return work(), "never"; }, {.seconds = 0.3});
    EXPECT_FALSE(end.answer);
    EXPECT_EQ(end.trouble, "took longer than 0.3 s");
  };
  expect_too_long([] { pause(); });
  expect_too_long([] {
    volatile bool forever = true;  // without volatile the compiler may remove the loop
    while (forever) {
    }
  });
  expect_too_long([] { raise(SIGSTOP); });
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(ChildProcess, EndsAChildThatClosesThePipeAndHangs) {
  const auto end = ended([]() -> std::string {
    for (int file = 3; file < 100; ++file) close(file);
    pause();
    return "never";
  });
  EXPECT_FALSE(end.answer);
}

TEST(ChildProcess, RefusesMemoryBeyondTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more address space than a limit allows";
#endif
  const auto work = []() -> std::string {
    try {
      std::vector<char> much(std::size_t{400} << 20);
      volatile char& last = much.back();  // so that the compiler keeps the allocation
      last = 'x';
      return last == 'x' ? "got it" : "";
    } catch (std::bad_alloc const&) {
      return "refused";
    }
  };
  EXPECT_EQ(ended(work, {.seconds = 20, .memory = std::size_t{100} << 20}).answer, "refused");
  EXPECT_EQ(ended(work, {.seconds = 20, .memory = std::size_t{900} << 20}).answer, "got it");
}

TEST(ChildProcess, RejectsAnswersThatAreTooLongOrIncomplete) {
  EXPECT_FALSE(ended([] { return std::string(1000000, 'x'); }, {.seconds = 20, .answer = 1000}).answer);
  const auto half = ended([]() -> std::string {
    for (int file = 3; file < 100; ++file) static_cast<void>(!write(file, "\x64\0\0\0\0\0\0\0half", 12));
    _exit(0);
  });
  EXPECT_FALSE(half.answer);
  EXPECT_TRUE(contains(half.trouble, "ended early")) << half.trouble;
}

TEST(ChildProcess, ReturnsTheAnswerIfSigchldIsIgnored) {
  signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(ended([] { return std::string("yes"); }).answer, "yes");
  EXPECT_FALSE(ended([]() -> std::string { std::abort(); }).answer);
  signal(SIGCHLD, SIG_DFL);
}

TEST(ReadInChild, ReturnsTextsThatCanBePrinted) {
  const std::vector<std::string> texts{"run", "", "a\x1b[2J", std::string("zero\0s", 6)};
  EXPECT_EQ(read_in_child("f.h5", [&] { return texts; }),
            (std::vector<std::string>{"run", "", "a\\x1B[2J", "zeros"}));
  EXPECT_TRUE(read_in_child("f.h5", [] { return std::vector<std::string>{}; }).empty());
}

TEST(ReadInChild, NamesTheFileInEachError) {
  using Texts = std::vector<std::string>;
  const auto error_of = [](std::function<Texts()> const& read) -> std::string {
    try {
      read_in_child("f.h5", read, 1);
      return "none";
    } catch (std::invalid_argument const& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of([]() -> Texts { throw std::runtime_error("is bad"); }), "f.h5: is bad");
  EXPECT_EQ(error_of([]() -> Texts { throw std::logic_error("f.h5: is bad"); }), "f.h5: is bad");
  EXPECT_EQ(error_of([]() -> Texts { return std::raise(SIGSEGV), Texts{}; }),
            "f.h5: the process that read it crashed (Segmentation fault); the file is damaged: leave it out, "
            "or repeat the run");
  EXPECT_TRUE(
      contains(error_of([]() -> Texts { return pause(), Texts{}; }), "f.h5: the process that read it"));
}

}  // namespace
}  // namespace ddproxy::results
