// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "ctest/results/compare_runs.hpp"

namespace ddproxy::test {
namespace {

TEST_F(Compare, refuses_the_same_run_twice_on_one_side) {
  const auto base = runs("a", 7, {}), next = runs("b", 7, {});
  const auto twice = [&](std::filesystem::path const& again) {
    auto side = base;
    side.push_back(again);
    EXPECT_TRUE(contains(refused({.base = side, .next = next}), "hold the same run"));
    EXPECT_TRUE(contains(refused({.base = next, .next = side}), again.string()));
    EXPECT_TRUE(contains(refused({.base = side, .rank_machines = true}), "hold the same run"));
  };
  std::filesystem::copy_file(base[2], folder / "copy.h5");
  std::filesystem::create_symlink(base[3], folder / "link.h5");
  for (auto const& again : {base[0], folder / "." / "a0.h5", folder / "copy.h5", folder / "link.h5"})
    twice(again);
  EXPECT_TRUE(contains(refused({.history = folder}), "hold the same run"));
  accept({.base = base, .next = base});
  EXPECT_TRUE(contains(warnings, "a0.h5 and 6 more: the same run is on both sides")) << warnings;
  accept({.base = base, .next = next});
  EXPECT_FALSE(contains(warnings, "the same run")) << warnings;
}

TEST_F(Compare, refuses_outputs_that_are_inputs_or_cannot_be_written) {
  const auto base = runs("a", 7, {}), next = runs("b", 7, {});
  const auto before = contents(base[1]);
  std::filesystem::create_symlink(base[1], folder / "link");
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .csv = base[1]}), "also read"));
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .json = folder / "link"}), "also read"));
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .junit = folder / "." / "b3.h5"}), "also read"));
  EXPECT_TRUE(contains(refused({.history = folder, .csv = base[1]}), "also read"));
  EXPECT_EQ(contents(base[1]), before);
  const CompareOptions both{.base = base, .next = next, .json = folder / "r", .csv = folder / "r"};
  EXPECT_TRUE(contains(refused(both), "give another file"));
  const CompareOptions late{.base = base, .next = next, .json = folder / "r", .csv = folder / "none" / "r"};
  EXPECT_TRUE(contains(refused(late), "cannot write"));
  EXPECT_EQ(out, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "r"));
}

TEST_F(Compare, a_dry_run_checks_the_options) {
  EXPECT_EQ(compare({.json = folder / "r", .dry_run = true}), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "r"));
  EXPECT_TRUE(contains(refused({.allow = {"colour"}, .dry_run = true}), "no such key"));
  EXPECT_TRUE(contains(refused({.csv = folder, .dry_run = true}), "cannot write"));
}

TEST_F(Compare, refuses_files_that_are_not_comparable) {
  const auto base = runs("a", 1, {});
  const CompareOptions options{.base = base, .next = runs("b", 1, {.ranks = 16, .precision = "bf16"})};
  const auto text = refused(options);
  EXPECT_TRUE(contains(text, "ranks: '8' against '16'")) << text;
  EXPECT_TRUE(contains(text, "precision: 'fp32' against 'bf16'")) << text;
  EXPECT_FALSE(contains(text, "model:")) << text;
  CompareOptions allowing = options;
  allowing.allow = {"ranks", "precision"};
  accept(allowing);
  allowing.allow = {"ranks"};
  EXPECT_TRUE(contains(refused(allowing), "precision"));
  allowing.allow = {"colour"};
  EXPECT_TRUE(contains(refused(allowing), "no such key"));
  EXPECT_TRUE(contains(refused({.base = base, .next = runs("c", 1, {.replay = false})}), "device"));
}

TEST_F(Compare, refuses_different_bucket_plans_of_cases_with_the_same_name) {
  const auto base = runs("a", 1, {}), next = runs("b", 1, {.first_bucket = 1 << 20});
  const auto text = refused({.base = base, .next = next});
  EXPECT_TRUE(contains(text, "sweep: 'bucketed 1024 MiB in 3 buckets (plan ")) << text;
  EXPECT_TRUE(contains(
      text, "' and 3 others against 'bucketed 1024 MiB in 4 buckets; the first up to 1048576 bytes (plan "))
      << text;
  EXPECT_TRUE(contains(text, "--allow sweep")) << text;
  EXPECT_FALSE(contains(text, "flat")) << text;
  accept({.base = base, .next = next, .allow = {"sweep"}});
  accept({.base = base, .next = runs("c", 1, {})});
}

TEST_F(Compare, refuses_different_threads_pieces_calls_buffers_and_priorities) {
  const Sample usual{.replay = false, .call_setting = "auto"};
  const auto base = runs("a", 1, usual);
  const auto expect_refused = [&](std::string const& key, Sample const& sample, std::string const& what) {
    const CompareOptions options{.base = base, .next = runs("b", 1, sample)};
    const auto text = refused(options);
    EXPECT_TRUE(contains(text, key + ": " + what + " (--allow " + key + ")")) << text;
    EXPECT_EQ(std::ranges::count(text, ';'), 0) << text;
    CompareOptions allowing = options;
    allowing.allow = {key};
    accept(allowing);
  };
  expect_refused("threads", {.replay = false, .threads = "1"}, "'2' against '1'");
  expect_refused("pieces", {.replay = false, .piece_mib = 4}, "'16 MiB' against '4 MiB'");
  expect_refused("priority", {.replay = false, .priority = "high"}, "'normal' against 'high'");
  expect_refused("call", {.replay = false, .call_setting = "blocking"}, "'auto' against 'blocking'");
  expect_refused("buffers",
                 {.replay = false, .allreduce = "mpi, host buffers, fp32, staged in pinned memory"},
                 "'host' against 'staged'");
}

TEST_F(Compare, compares_a_file_of_an_earlier_version_with_a_warning) {
  const auto base = runs("a", 1, {.says_more = false}), next = runs("b", 2, {});
  accept({.base = base, .next = next});
  EXPECT_TRUE(contains(warnings, "a0.h5: the value of threads is missing, so this value is not compared"))
      << warnings;
  EXPECT_TRUE(contains(warnings, "the value of pieces is missing")) << warnings;
  accept({.base = base, .next = runs("c", 2, {.says_more = false})});
  EXPECT_FALSE(contains(warnings, "not compared")) << warnings;
  const Paths mixed{base[0], runs("d", 1, {.threads = "7"})[0]};
  EXPECT_TRUE(contains(refused({.base = mixed, .next = next}), "threads: '7' against '2'"));
}

TEST_F(Compare, refuses_wrong_gradients_unreadable_files_and_invalid_arguments) {
  const auto base = runs("a", 1, {});
  EXPECT_TRUE(
      contains(refused({.base = base, .next = runs("b", 1, {.is_right = false})}), "wrong gradients"));
  std::ofstream(folder / "text.h5") << "text";
  EXPECT_TRUE(
      contains(refused({.base = base, .next = {folder / "text.h5"}}), "text.h5: cannot be read as HDF5"));
  results::Writer(folder / "empty.h5").finish();
  EXPECT_TRUE(contains(refused({.base = base, .next = {folder / "empty.h5"}}), "has no dataset /sweep/name"));
  EXPECT_TRUE(contains(refused({.base = base}),
                       "give results files of both builds: BASE NEW, or BASE... -- NEW..., or --base"));
  EXPECT_TRUE(contains(refused({.base = {"a", "b", "c"}}),
                       "3 files are given, but not which build each of them belongs to; give results"));
  EXPECT_TRUE(contains(refused({.base = base, .next = base, .json = folder / "none" / "r"}), "cannot write"));
}

TEST_F(Compare, accepts_an_interrupted_file_with_a_warning) {
  accept({.base = runs("a", 1, {}), .next = runs("b", 1, {.is_complete = false})});
  EXPECT_TRUE(contains(warnings, "b0.h5: the run was interrupted")) << warnings;
}

}  // namespace
}  // namespace ddproxy::test
