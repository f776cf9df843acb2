// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/results/history_folder.hpp"

namespace ddproxy::test {
namespace {

using History = HistoryFolder;

TEST_F(History, refuses_conflicting_options_and_folders_of_fewer_than_two_nights) {
  EXPECT_TRUE(
      contains(refused({.base = {"a"}, .next = {"b"}, .history = folder}), "results files or --history"));
  EXPECT_TRUE(contains(refused({.rank_machines = true, .history = folder}), "--rank-machines or --history"));
  EXPECT_TRUE(contains(refused({.history = folder, .night = folder / "x"}), "--night or --history"));
  EXPECT_TRUE(contains(refused({.history = folder / "none"}), "the folder cannot be read"));
  EXPECT_TRUE(contains(refused({.history = folder}), "0 files"));
  write_nights(0, 1, 0.0);
  EXPECT_TRUE(contains(refused({.history = folder}), "has 1 file (*.h5 or *.night.json)"));
  std::filesystem::remove(night_file(0));
  write_runs(0, 1, 1.0);
  EXPECT_TRUE(contains(refused({.history = folder}), "needs two nights or more"));
}

TEST_F(History, refuses_invalid_at_least_pin_and_acknowledge_options) {
  write_nights(0, 10, 0.0);
  for (double share : {0.0, -0.1, std::nan("")})
    EXPECT_TRUE(contains(refused({.history = folder, .at_least = share}), "--at-least")) << share;
  EXPECT_TRUE(contains(refused({.history = folder, .pin = "n077.night.json"}), "--pin n077.night.json"));
  EXPECT_TRUE(contains(refused({.history = folder, .acknowledge = ""}), "needs the reason"));
  EXPECT_TRUE(
      contains(refused({.history = folder, .acknowledge_cases = {"a"}}), "needs --acknowledge REASON"));
  EXPECT_TRUE(
      contains(refused({.history = folder, .acknowledge = "x", .acknowledge_cases = {"z"}}), "no such case"));
  EXPECT_FALSE(std::filesystem::exists(folder / "acknowledged.json"));
}

TEST_F(History, refuses_nights_of_another_model_and_the_same_night_twice) {
  write_nights(0, 10, 0.0);
  auto other = night(10, 0.0);
  other.identity[0].second = "large";
  write_night(night_file(10), other);
  EXPECT_TRUE(contains(refused({.history = folder}), "model: 'tiny' against 'large' (--allow model)"));
  EXPECT_EQ(compare({.allow = {"model"}, .history = folder, .allow_undecided = true}), 0) << out;
  std::filesystem::copy_file(night_file(3), folder / "copy.night.json");
  EXPECT_TRUE(contains(refused({.allow = {"model"}, .history = folder}), "hold the same night"));
}

TEST_F(History, refuses_plain_runs_of_another_precision) {
  write_runs(0, 6, 1.0);
  make_sample(folder / "other.h5", {.precision = "bf16", .created = date(9)});
  EXPECT_TRUE(contains(refused({.history = folder}), "precision: 'fp32' against 'bf16'"));
}

TEST_F(History, refuses_damaged_acknowledgements_and_does_not_overwrite_them) {
  write_nights(0, 10, 0.0);
  std::ofstream(folder / "acknowledged.json") << "{\"schema\": \"ddproxy-acknowledged-1\"}";
  EXPECT_TRUE(contains(refused({.history = folder}), "acknowledged.json: the field acknowledged is missing"));
  EXPECT_TRUE(contains(refused({.history = folder, .json = folder / "acknowledged.json"}), "also read"));
}

}  // namespace
}  // namespace ddproxy::test
