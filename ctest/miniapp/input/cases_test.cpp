// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/cases.hpp"
#include "miniapp/input/results_need.hpp"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>

#include "ctest/folders.hpp"
#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/input/toml/read_config.hpp"

namespace ddproxy {
namespace {

constexpr auto replay =
    "[model]\npreset = \"tiny\"\n[compute]\nmode = \"replay\"\ntimes = \"times.csv\"\n[sweep]\ncaps_mib = "
    "[0.125, 1]\n";

struct Tables : testing::Test {
  Folder folder;
  Workload workload(std::string const& times) {
    folder.file("times.csv", times);
    return make_workload(read_config(folder.file("input.toml", replay)));
  }
  std::string error(std::string const& times) {
    try {
      workload(times);
    } catch (std::invalid_argument const& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(Tables, LayerTimesMakeEveryGradientReadyAtTheEndOfItsLayer) {
  const auto work = workload("layer,seconds\nlm_head,1\nln_f,2\nh.1,3\nh.0,4\nembedding,5\n");
  const auto ready = ready_times(work.pass, work.operation_seconds);
  ASSERT_EQ(ready.size(), 28U);
  EXPECT_EQ(ready.front(), 3);  // ln_f.bias
  EXPECT_EQ(ready[2], 6);       // the first gradient of h.1
  EXPECT_EQ(ready[13], 6);      // the last gradient of h.1
  EXPECT_EQ(ready[14], 10);
  EXPECT_EQ(ready.back(), 15);
}

TEST_F(Tables, LayerTimesThatDoNotFitTheModelAreRefused) {
  EXPECT_NE(error("layer,seconds\nln_f,2\nh.1,3\nembedding,5\n").find("'h.0'"), std::string::npos);
  EXPECT_NE(error("layer,seconds\nfoo,2\nln_f,2\nh.1,3\nh.0,4\nembedding,5\n").find("'foo'"),
            std::string::npos);
  EXPECT_NE(error("layer,seconds\nln_f,2\nh.0,3\nh.1,3\nembedding,5\n").find("ready order"),
            std::string::npos);
}

TEST_F(Tables, GradientTimesThatDoNotFitTheModelAreRefused) {
  EXPECT_NE(
      error("name,numel,seconds\nln_f.weight,64,1\n").find("next gradient in ready order is 'ln_f.bias'"),
      std::string::npos);
  EXPECT_NE(error("name,numel,seconds\nln_f.bias,64,1\n").find("number of gradients (1 and 28)"),
            std::string::npos);
}

Config tiny(std::string const& sections) {
  const Folder folder;
  return read_config(folder.file("tiny.toml", "[model]\npreset = \"tiny\"\n" + sections));
}

TEST(ResultsMemory, HoldsTheResultsFileAndItsCopyForTheDisk) {
  const auto few = tiny("[allreduce]\nbackend = \"nccl\"\n[sweep]\nsamples = 5\n");
  const auto many = tiny("[allreduce]\nbackend = \"nccl\"\n[sweep]\nsamples = 10005\n");
  const auto workload = make_workload(few);
  const auto cases = make_cases(few, workload);
  const double operations = static_cast<double>(workload.pass.operations.size());
  double buckets = 0;
  for (auto const& item : cases) buckets += static_cast<double>(item.plan.size());
  // a sample of a case has four values for each of the 8 ranks, eight that do not depend on the rank, and one
  // for each bucket; a sample of the operations has one for each rank and operation
  const double more =
      8 * 10000 * (static_cast<double>(cases.size()) * (4 * 8 + 8) + buckets + 8 * operations);
  EXPECT_NEAR(results_file_bytes(many, workload, cases, 8) - results_file_bytes(few, workload, cases, 8),
              more, 1);
  EXPECT_EQ(results_memory(many, workload, cases, 8), 2 * results_file_bytes(many, workload, cases, 8));
}

TEST(ResultsMemory, AddsTheSamplesAndEventsOfEachGivenCase) {
  const auto config = tiny("[allreduce]\nbackend = \"nccl\"\n[sweep]\nsamples = 5\n");
  const auto workload = make_workload(config);
  const auto cases = make_cases(config, workload);
  // The second case adds 5 samples, and on each rank an event for each operation and for each bucket.
  const std::span two(cases.data(), 2);
  const auto buckets = static_cast<double>(cases[1].plan.size());
  const double events = static_cast<double>(workload.pass.operations.size()) + buckets;
  EXPECT_NEAR(
      results_file_bytes(config, workload, two, 8) - results_file_bytes(config, workload, two.first(1), 8),
      8 * 5 * (4 * 8 + 8 + buckets) + 130 * 8 * events, 1);
}

TEST(Roofline, KernelsStoreFp32EvenIfTheyMultiplyInBf16) {
  const std::string machine = "[machine]\npeak_flops = 1e30\nbandwidth = 1e9\n";  // bound by memory
  const auto seconds = [&](std::string const& mode, std::string const& precision) {
    return make_workload(
               tiny("[compute]\nmode = \"" + mode + "\"\nprecision = \"" + precision + "\"\n" + machine))
        .operation_seconds.front();
  };
  EXPECT_EQ(seconds("kernels", "bf16"), seconds("kernels", "fp32"));
  EXPECT_DOUBLE_EQ(seconds("replay", "bf16"), seconds("replay", "fp32") / 2);
}

TEST(Cases, HaveTheOrderOfTheInput) {
  const auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x8.toml");
  const auto cases = make_cases(config, make_workload(config));
  std::vector<std::string> names;
  for (auto const& item : cases) names.push_back(item.name());
  EXPECT_EQ(names, (std::vector<std::string>{"naive", "flat", "per_tensor", "bucketed/1", "bucketed/4",
                                             "bucketed/16", "bucketed/25", "bucketed/64", "bucketed/256",
                                             "bucketed/1024", "optimal"}));
  EXPECT_EQ(cases[0].plan.size(), 436U);
  EXPECT_EQ(cases[1].plan.size(), 1U);
  EXPECT_EQ(cases[3].plan.size(), 146U);
  EXPECT_EQ(cases[9].plan.size(), 3U);
}

TEST(Cases, AnAddedStrategyMayHaveCapsButIsNotBucketed) {
  auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x8.toml");
  const model::NamedStrategy added{"added", model::BucketRule::cap, true, model::ddp};
  config.strategies = {model::strategy_named("bucketed"), added, model::strategy_named("flat")};
  config.caps_mib = {4, 25};
  std::vector<std::string> capped, bucketed;
  for (auto const& item : make_cases(config, make_workload(config))) {
    if (item.has_cap()) capped.push_back(item.name());
    if (item.is_bucketed()) bucketed.push_back(item.name());
  }
  EXPECT_EQ(capped, (std::vector<std::string>{"bucketed/4", "bucketed/25", "added/4", "added/25"}));
  EXPECT_EQ(bucketed, (std::vector<std::string>{"bucketed/4", "bucketed/25"}));
}

TEST(Cases, ASeparateSizeOfTheFirstBucketIsUsed) {
  auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x8.toml");
  config.strategies = {model::strategy_named("bucketed")};
  config.caps_mib = {128, 256, 512, 1024};
  config.first_bucket_mib = 1;
  std::vector<std::size_t> buckets;
  for (auto const& item : make_cases(config, make_workload(config))) buckets.push_back(item.plan.size());
  EXPECT_EQ(buckets, (std::vector<std::size_t>{20, 12, 7, 4}));
}

TEST(Cases, NaiveAndFlatAreSerialInThePrediction) {
  auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x8.toml");
  const auto workload = make_workload(config);
  const model::Job job{ready_times(workload.pass, workload.operation_seconds), 1.0, workload.gradient_bytes,
                       [](std::int64_t) { return 0.5; }};
  const auto cases = make_cases(config, workload);
  EXPECT_DOUBLE_EQ(predict(cases[0], job).total, 1 + 436 * 0.5);
  EXPECT_DOUBLE_EQ(predict(cases[1], job).total, 1.5);
  EXPECT_LT(predict(cases[2], job).total, 1 + 436 * 0.5);
}

TEST(Cases, TheOptimalCaseIsPlannedAfterTheCostsAreKnown) {
  auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x16-slingshot.toml");
  config.strategies = {model::strategy_named("bucketed"), model::strategy_named("optimal")};
  const auto workload = make_workload(config);
  auto cases = make_cases(config, workload);
  EXPECT_EQ(cases.back().name(), "optimal");
  EXPECT_TRUE(cases.back().plan.empty());
  const auto job = input_job(config, workload);
  ASSERT_TRUE(job);
  const auto before = cases.front().plan;
  for (auto& item : cases) plan_optimal(item, *job, {});
  EXPECT_EQ(cases.front().plan, before);
  for (auto const& item : cases) EXPECT_LE(predict(cases.back(), *job).total, predict(item, *job).total);
  EXPECT_LT(predict(cases.back(), *job).total, 0.999 * predict(cases.front(), *job).total);
}

TEST(Cases, ContentionAndCopiesIncreaseThePredictedTime) {
  const auto config = read_config(std::string(ddproxy::inputs_folder) + "/gpt2-large-a100x16-slingshot.toml");
  const auto workload = make_workload(config);
  const Case tensors = make_cases(config, workload)[2];
  auto job = *input_job(config, workload);
  const double ideal = predict(tensors, job).total;
  job.contention = {0.5, 1};
  const double slowed = predict(tensors, job).total;
  EXPECT_GT(slowed, ideal);
  job.copies = {model::CopyMode::in_out, 100e9, 0};
  EXPECT_GT(predict(tensors, job).total, slowed);
}

}  // namespace
}  // namespace ddproxy
