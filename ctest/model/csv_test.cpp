// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/csv.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <stdexcept>

#include "model/text/csv_table.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

/// A test with a CSV file. file() writes it, and it is removed after the test.
class Csv : public testing::Test {
 protected:
  std::filesystem::path file(std::string const& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) / (std::string("ddproxy_csv_") + test->name() + ".csv");
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  /// Checks that `read` rejects a file with this content. The message must be "FILE:LINE: ... text ...".
  void expect_error(std::string const& content, int line, std::string const& text,
                    std::function<void(std::filesystem::path const&)> const& read) {
    const auto path = file(content);
    try {
      read(path);
      ADD_FAILURE() << "no error for " << content;
    } catch (std::invalid_argument const& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path.string() + ":" + std::to_string(line) + ": ")) << message;
      EXPECT_NE(message.find(text), std::string::npos) << message;
    }
  }
  std::filesystem::path path_;
};

TEST_F(Csv, ReadsEachKindOfFile) {
  const auto times = read_layer_times(file("# a comment\nlayer,seconds\nh.1,0.5\n\nh.0, 1e-3\r\n"));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[1].layer, "h.0");
  EXPECT_DOUBLE_EQ(times[1].seconds, 1e-3);

  const auto sizes = read_layer_sizes(file("numel,layer\n12,h.0\n"));
  EXPECT_EQ(sizes.at(0).numel, 12);

  const auto gradients = read_gradient_times(file("name,numel,seconds\na,0,0.25\nb,7,0\n"));
  EXPECT_EQ(gradients.at(0).numel, 0);
  EXPECT_EQ(gradients.at(1).name, "b");
}

TEST_F(Csv, MillisecondsAndMicrosecondsAreScaled) {
  EXPECT_DOUBLE_EQ(read_layer_times(file("layer,ms\na,2\n")).at(0).seconds, 2e-3);
  EXPECT_DOUBLE_EQ(read_allreduce(file("us,bytes\n2,8\n")).at(0).seconds, 2e-6);
}

TEST_F(Csv, AllreduceRowsAreChosenByRanksAndSorted) {
  const auto path = file("ranks,bytes,seconds\n4,20,2\n2,10,1\n4,10,3\n");
  const auto four = read_allreduce(path, 4);
  ASSERT_EQ(four.size(), 2U);
  EXPECT_EQ(four[0].bytes, 10);
  EXPECT_EQ(four[0].seconds, 3);
  EXPECT_THROW(read_allreduce(path), std::invalid_argument);
  EXPECT_THROW(read_allreduce(path, 8), std::invalid_argument);
  EXPECT_EQ(read_allreduce(file("ranks,bytes,seconds\n4,20,2\n")).size(), 1U);
}

TEST_F(Csv, ListsTheRanksOfAnAllreduceTable) {
  EXPECT_EQ(allreduce_ranks(published("allreduce-gloo-cpu.csv")), (std::vector<int>{2, 4}));
  EXPECT_TRUE(allreduce_ranks(published("allreduce-2xt4.csv")).empty());
  expect_error("ranks,bytes,seconds\n0,8,1\n", 2, "ranks", [](auto const& f) { allreduce_ranks(f); });
}

TEST_F(Csv, ReadsContentionBySize) {
  const Contention contention(read_contention(file("gamma,bytes,kappa\n0.8,400,0.6\n0.4,100,1\n")));
  EXPECT_EQ(contention(100).kappa, 1);
  EXPECT_EQ(contention(500).gamma, 0.8);
  EXPECT_NEAR(contention(200).gamma, 0.6, 1e-12);
  expect_error("bytes,kappa,gamma\n8,1,0\n", 2, "gamma", read_contention);
  expect_error("bytes,kappa,gamma\n8,1,1\n9,1.5,1\n", 3, "kappa", read_contention);
  expect_error("bytes,kappa,gamma\n0,1,1\n", 2, "positive", read_contention);
  expect_error("bytes,kappa,gamma\n8,1,1\n8,1,1\n", 3, "duplicate", read_contention);
}

TEST_F(Csv, ReadsACurve) {
  const auto curve = read_curve(file("bucket_mib,ms\n0.5,2\n25,1\n"));
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_EQ(curve[0].bucket_mib, 0.5);
  EXPECT_DOUBLE_EQ(curve[1].seconds, 1e-3);
  expect_error("bucket_mib,ms\n0,2\n", 2, "positive", read_curve);
  expect_error("bucket_mib,ms\n1,2\n1,3\n", 3, "duplicate", read_curve);
}

TEST_F(Csv, HasColumnFindsAColumnOfTheHeader) {
  EXPECT_TRUE(has_column(file("name,numel,seconds\na,1,1\n"), "numel"));
  EXPECT_FALSE(has_column(file("layer,seconds\na,1\n"), "numel"));
}

TEST_F(Csv, NamesTheLineOfABadRow) {
  expect_error("layer,seconds\na,1\nb,x\n", 3, "\"x\"", read_layer_times);
  expect_error("layer,seconds\na,nan\n", 2, "finite", read_layer_times);
  expect_error("layer,seconds\na,inf\n", 2, "finite", read_layer_times);
  expect_error("layer,ms\na,1\nb,2e33\n", 3, "too large to add", read_layer_times);
  expect_error("layer,seconds\na,-1\n", 2, "negative", read_layer_times);
  expect_error("layer,seconds\n# gap\na,1\na,2\n", 4, "duplicate", read_layer_times);
  expect_error("layer,seconds\na,1,2\n", 2, "field", read_layer_times);
  expect_error("layer,seconds\n,1\n", 2, "empty", read_layer_times);
  expect_error("layer,numel\na,1.5\n", 2, "whole number", read_layer_sizes);
  expect_error("layer,numel\na,-1\n", 2, "negative", read_layer_sizes);
  expect_error("layer,numel\na,1\na,1\n", 3, "duplicate", read_layer_sizes);
  expect_error("name,numel,seconds\na,1,1\na,1,1\n", 3, "duplicate", read_gradient_times);
  expect_error("bytes,seconds\n8,1\n8,1\n", 3, "duplicate", [](auto const& f) { read_allreduce(f); });
  expect_error("bytes,seconds\n0,1\n", 2, "positive", [](auto const& f) { read_allreduce(f); });
  expect_error("bytes,seconds\n8,0\n", 2, "positive", [](auto const& f) { read_allreduce(f); });
}

TEST_F(Csv, NamesTheLineOfABadHeader) {
  expect_error("layer\na\n", 1, "missing", read_layer_times);
  expect_error("# x\nseconds\n1\n", 2, "\"layer\"", read_layer_times);
  expect_error("layer,seconds,colour\na,1,2\n", 1, "colour", read_layer_times);
  expect_error("layer,seconds,ms\na,1,2\n", 1, "keep one", read_layer_times);
  expect_error("layer,layer,ms\na,1,2\n", 1, "twice", read_layer_times);
  expect_error("layer,seconds\n", 1, "no rows", read_layer_times);
  expect_error("# nothing\n", 1, "no header", read_layer_times);
}

TEST_F(Csv, NamesAMissingFile) {
  try {
    read_layer_times("/nowhere/times.csv");
    FAIL();
  } catch (std::invalid_argument const& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/times.csv"), std::string::npos);
  }
  EXPECT_THROW(read_layer_times(testing::TempDir()), std::invalid_argument);
}

TEST_F(Csv, EveryPublishedAllreduceTableCanBeRead) {
  for (auto const* name :
       {"allreduce-16xa100-slingshot.csv", "allreduce-2xt4.csv", "allreduce-4xa100-polaris.csv",
        "allreduce-8xa100-1node.csv", "allreduce-8xa100-ndv4.csv"}) {
    EXPECT_GE(read_allreduce(published(name)).size(), 3U) << name;
  }
  EXPECT_EQ(read_allreduce(published("allreduce-2gpu-pcie.csv"), 2).size(), 4U);
  EXPECT_EQ(read_allreduce(published("allreduce-gloo-cpu.csv"), 4).size(), 4U);
}

}  // namespace
}  // namespace ddproxy::model
