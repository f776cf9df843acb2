// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/step_times.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "published.hpp"

namespace ddproxy::model {
namespace {

const std::string header = "series,precision,warm,use,preset,batch,context,phase,seconds\n";
const std::string good = header +
                         "a,fp32,yes,fit,cs336-s-gelu,16,128,forward,0.1\n"
                         "a,fp32,yes,fit,cs336-l-gelu,16,128,forward,0.4\n"
                         "a,fp32,yes,fit,cs336-l-gelu,16,128,backward,0.8\n";

/// A fixture that writes a file with a given text. TearDown() removes the file.
class StepTimes : public testing::Test {
 protected:
  std::filesystem::path file(std::string const& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ =
        std::filesystem::path(testing::TempDir()) / (std::string("ddproxy_steps_") + test->name() + ".csv");
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  template <class Read>
  void expect_message(int line, std::string const& text, Read const& read) {
    try {
      read();
      ADD_FAILURE() << "no error with " << text;
    } catch (std::invalid_argument const& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_.string() + ":" + std::to_string(line) + ": ")) << message;
      EXPECT_NE(message.find(text), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
  void expect_error(std::string const& content, int line, std::string const& text) {
    const auto path = file(content);
    expect_message(line, text, [&] { read_step_times(path); });
  }
  void expect_share_error(std::string const& row, std::string const& text) {
    const auto times = read_step_times(file(good));
    const auto path = file("series,preset,batch,context,phase,kind,share\n" + row + "\n");
    expect_message(2, text, [&] { read_step_shares(path, times); });
  }
  std::filesystem::path path_;
};

TEST_F(StepTimes, ReadsRows) {
  const auto times = read_step_times(file(good + "b,mixed,yes,fit,cs336-m-gelu,8,64,forward_backward,1.5\n" +
                                          "b,mixed,yes,fit,cs336-m-gelu,8,64,step,2\n" +
                                          "c,fp32,no,fit,cs336-m-gelu,8,64,step,3\n" +
                                          "a,fp32,yes,compare,cs336-m-gelu,8,64,step,2\n"));
  ASSERT_EQ(times.size(), 7U);
  EXPECT_EQ(times[3].of.series, "b");
  EXPECT_EQ(times[3].of.shape, find_preset("cs336-m-gelu"));
  EXPECT_EQ(times[3].of.tokens.batch, 8);
  EXPECT_EQ(times[3].of.tokens.sequence, 64);
  EXPECT_EQ(times[3].of.part, TimedPart::forward_backward);
  EXPECT_TRUE(times[3].mixed && times[3].warm && times[3].fitted);
  EXPECT_DOUBLE_EQ(times[3].seconds, 1.5);
  EXPECT_FALSE(times[0].mixed || times[5].warm || times[6].fitted);
  EXPECT_EQ(times[6].of.part, TimedPart::step);
}

TEST_F(StepTimes, RefusesWrongRows) {
  const std::string start = header + "a,fp32,yes,fit,";
  expect_error("series,preset\na,b\n", 1, "missing");
  expect_error(start + "cs336-s-gelu,16,128,sideways,1\n", 2, "forward, backward, forward_backward, step");
  expect_error(start + "cs336-huge,16,128,forward,1\n", 2, "there is no preset");
  expect_error(start + "cs336-s-gelu,0,128,forward,1\n", 2, "batch is 0");
  expect_error(start + "cs336-s-gelu,16,129,forward,1\n", 2, "at most 128 positions");
  expect_error(start + "cs336-s-gelu,16,128,forward,0\n", 2, "must be positive");
  expect_error(start + "cs336-s-gelu,16,128,forward,-1\n", 2, "negative");
  expect_error(header + "a,fp8,yes,fit,cs336-s-gelu,16,128,forward,1\n", 2, "fp32, mixed");
  expect_error(header + "a,fp32,maybe,fit,cs336-s-gelu,16,128,forward,1\n", 2, "yes, no");
  expect_error(header + "a,fp32,yes,ignore,cs336-s-gelu,16,128,forward,1\n", 2, "fit, compare");
  expect_error(header + ",fp32,yes,fit,cs336-s-gelu,16,128,forward,1\n", 2, "series is empty");
  expect_error(header + "\x01,fp32,yes,fit,cs336-s-gelu,16,128,forward,1\n", 2, "control characters");
  expect_error(good + "a,fp32,yes,compare,cs336-s-gelu,16,128,forward,0.2\n", 5, "earlier row");
  expect_error(good + "a,mixed,yes,fit,cs336-s-gelu,16,128,backward,0.2\n", 5, "precision or warm");
}

TEST_F(StepTimes, RefusesTooFewRowsToFit) {
  expect_error(header + "a,fp32,yes,fit,cs336-s-gelu,16,128,forward,1\n", 2, "needs 3");
  expect_error(header + "a,fp32,no,fit,cs336-s-gelu,16,128,forward,1\n", 2, "no warm-up");
  expect_error(good + "b,fp32,yes,fit,cs336-s-gelu,16,128,forward,1\n", 5, "needs 2");
  expect_error(good + "b,fp32,no,compare,cs336-s-gelu,16,128,forward,1\n", 5, "needs 1");
}

TEST_F(StepTimes, ReadsSharesAndRefusesWrongShares) {
  expect_share_error("b,cs336-s-gelu,16,128,forward,norm,0.1", "has no times");
  expect_share_error("a,cs336-s-gelu,16,128,forward,norm,1.1", "at most 1");
  expect_share_error("a,cs336-s-gelu,16,128,forward,gemm,0.1", "product, norm, softmax");
  const auto times = read_step_times(file(good));
  const auto shares = read_step_shares(file("series,preset,batch,context,phase,kind,share\n"
                                            "a,cs336-s-gelu,16,128,step,product,0.7\n"),
                                       times);
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares[0].kind, KernelKind::product);
  EXPECT_DOUBLE_EQ(shares[0].share, 0.7);
}

TEST_F(StepTimes, ReadsThePublishedTables) {
  const auto times = read_step_times(published("step-times-cs336.csv"));
  EXPECT_EQ(times.size(), 45U);
  double forward = 0;
  for (StepTime const& time : times)
    if (time.of.series == "fp32" && time.of.part == TimedPart::forward) forward += time.seconds;
  EXPECT_NEAR(forward, 0.6022, 1e-9);
  EXPECT_EQ(read_step_shares(published("step-times-cs336-shares.csv"), times).size(), 4U);
}

}  // namespace
}  // namespace ddproxy::model
