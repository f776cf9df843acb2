// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/account/published_steps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ddproxy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Files in a folder of their own, which exists during one test.
class PublishedSteps : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / (std::string("ddproxy_published_") +
                                              testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(std::string const& name, std::string const& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

/// Returns a table with the times of the forward and the backward pass of three models on a device of 45
/// Tflop/s and 1.5 TB/s, which needs 12 us to launch a kernel. The time in the last row, the backward pass of
/// xl, is multiplied by `factor`.
std::string planted_table(double factor) {
  const model::LaunchRoofline roofline{45e12, 1.5e12, 12e-6};
  std::string text = "series,precision,warm,use,preset,batch,context,phase,seconds\n";
  for (std::string const size : {"s", "l", "xl"}) {
    for (const auto part : {model::TimedPart::forward, model::TimedPart::backward}) {
      const std::string preset = "cs336-" + size + "-gelu";
      const bool slow = size == "xl" && part == model::TimedPart::backward;
      const double seconds =
          kernel_seconds(model::part_kernels(model::find_preset(preset), {16, 128}, part, 4), roofline);
      text += fmt::format("a,fp32,yes,{},{},16,128,{},{:.17g}\n", size == "xl" ? "compare" : "fit", preset,
                          name_of(part), slow ? factor * seconds : seconds);
    }
  }
  return text;
}

TEST_F(PublishedSteps, AreExactForAPlantedRooflineAndShowASlowRow) {
  auto made = published_comparison(write("planted.csv", planted_table(1)));
  EXPECT_LT(compared_error(made.series.front()).largest, 1e-6);
  EXPECT_TRUE(made.source.empty() && made.shares.empty());
  EXPECT_NE(
      describe(made).find(
          "a: 45.0 Tflop/s, 1.5 TB/s, 12.0 us for the launch of each kernel, fitted on cs336-s-gelu and "
          "cs336-l-gelu\n"),
      std::string::npos)
      << describe(made);
  EXPECT_EQ(describe(made).find("uncertain"), std::string::npos);  // memory traffic takes a tenth of the time
  made = published_comparison(write("planted.csv", planted_table(1.25)));
  const ComparedError error = compared_error(made.series.front());
  EXPECT_EQ(error.rows, 2U);
  EXPECT_NEAR(error.largest, 0.2, 1e-6);
  EXPECT_NEAR(error.mean, 0.1, 1e-6);
  EXPECT_EQ(error.worst, "cs336-xl-gelu, backward");
  EXPECT_NE(describe(made).find("mean 10.0 %, largest 20.0 % (cs336-xl-gelu, backward)"), std::string::npos);
}

TEST_F(PublishedSteps, ReadTheSharesFileNextToTheTable) {
  const auto table = write("t.csv", planted_table(1));
  write("t-shares.csv",
        "series,preset,batch,context,phase,kind,share\na,cs336-xl-gelu,16,128,forward,norm,0.5\n");
  const auto made = published_comparison(table);
  ASSERT_EQ(made.shares.size(), 1U);
  const double norms = 97 * (4 * 2048 * 1600 * 4 / 1.5e12 + 12e-6);
  EXPECT_NEAR(made.shares[0].fitted, norms / made.series[0].rows[4].seconds, 1e-6);
  const auto shown = json::parse(to_json(made)).at("shares").at(0);
  EXPECT_EQ(shown.at("kind").get<std::string>(), "norm");
  EXPECT_EQ(shown.at("published").get<double>(), 0.5);
}

TEST_F(PublishedSteps, OfTheProjectAreFoundAndConsistent) {
  const auto made = published_comparison("published");
  EXPECT_FALSE(made.source.empty());
  EXPECT_LT(made.series.front().memory_share, 0.05);
  EXPECT_NE(describe(made).find("The bandwidth is uncertain"), std::string::npos);
  const auto text = describe(made);
  EXPECT_NE(text.find("cold: measured without warm-up. Each fitted time is the time that the roofline of the "
                      "series fp32 gives, plus "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" ms are fitted to the times of cs336-s-gelu and cs336-l-gelu\n"), std::string::npos);
  const auto all = json::parse(to_json(made));
  ASSERT_EQ(all.at("series").size(), 7U);
  ASSERT_EQ(all.at("shares").size(), 4U);
  for (auto const& series : all.at("series")) {
    double sum = 0, rows = 0;
    for (auto const& row : series.at("rows")) {
      const double error = row.at("fitted_s").get<double>() / row.at("published_s").get<double>() - 1;
      EXPECT_NEAR(row.at("error").get<double>(), error, 1e-12);
      EXPECT_GT(row.at("product_share").get<double>(), 0);
      EXPECT_LT(row.at("product_share").get<double>(), 1);
      if (row.at("use").get<std::string>() == "compare") sum += std::abs(error), rows += 1;
    }
    EXPECT_NEAR(series.at("compared").at("mean_error").get<double>(), sum / rows, 1e-12);
    EXPECT_NE(text.find(series.at("series").get<std::string>() + ": "), std::string::npos);
  }
  // The rate must be that of a GPU: with a wrong unit it would be wrong by a factor of 1000.
  const double peak = all.at("series").at(0).at("fit").at("peak_flops").get<double>();
  EXPECT_GT(peak, 10e12);
  EXPECT_LT(peak, 200e12);
}

TEST_F(PublishedSteps, RefuseWrongInputInOneLine) {
  const auto message = [](std::string const& against) {
    try {
      published_comparison(against);
    } catch (std::invalid_argument const& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("publishd").find("--against publishd: there is no such file"), std::string::npos);
  const auto table = write("bad.csv", "series,seconds\na,1\n");
  EXPECT_TRUE(message(table).starts_with(table + ":1: ")) << message(table);
  const auto good = write("good.csv", planted_table(1));
  const auto shares =
      write("good-shares.csv", "series,preset,batch,context,phase,kind,share\nb,c,1,1,step,norm,0\n");
  EXPECT_TRUE(message(good).starts_with(shares + ":2: ")) << message(good);
}

}  // namespace
}  // namespace ddproxy
