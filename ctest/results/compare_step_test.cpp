// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "ctest/results/compare_runs.hpp"
#include "results/file/writer.hpp"

namespace ddproxy::test {
namespace {

/// Describes a file of `ddproxy step`. All times are multiplied by `factor`.
struct StepFile {
  double factor = 1;
  std::string optimizer = "adamw";
  double clip = 1;
  std::int64_t accumulation = 2;
  std::string sync = "last", checkpoint = "none";
  std::string sharding = "none";  ///< empty: a file of an earlier version
  std::string valid = "true";
  double piece_mib = 16;
  std::string priority = "normal", call = "nonblocking", call_setting = "auto";
  std::string call_alone = "";  ///< `call` of /allreduce; files of earlier versions store it there
  std::int64_t warmup = 1;
  double bucket_mib = 25;
  std::string shape = "layers 2 d_model 64 heads 4";
  double negative_step = 0;   ///< seconds; if below 0, replaces the first sample of the step
  double waiting = 1e-7;      ///< seconds of the part `waiting`
  double spread = 0.001;      ///< largest deviation of a sample, as a share
  std::int64_t verified = 1;  ///< 1: right numbers; 0: wrong ones; -1: not stored, as in earlier versions
};

constexpr std::size_t samples = 8;

class CompareSteps : public Compare {
 protected:
  Paths steps(std::string const& name, int n, StepFile const& step = {}) {
    Paths paths;
    for (int k = 0; k < n; ++k) {
      paths.push_back(folder / (name + std::to_string(k) + ".h5"));
      write(paths.back(), step, k);
    }
    return paths;
  }

 private:
  static void write(std::filesystem::path const& path, StepFile const& step, int run) {
    results::Writer writer(path);
    writer.attribute("/model", "batch", std::int64_t{4});
    writer.attribute("/model", "sequence", std::int64_t{16});
    writer.attribute("/model", "shape", step.shape);
    const auto set = [&](char const* name, auto const& value) { writer.attribute("/step", name, value); };
    set("ranks", std::int64_t{2});
    set("accumulation", step.accumulation);
    set("sync", step.sync);
    set("checkpoint", step.checkpoint);
    if (!step.sharding.empty()) set("sharding", step.sharding);
    set("optimizer", step.optimizer);
    set("clip", step.clip);
    set("bucket_mib", step.bucket_mib);
    set("backend", std::string("mpi"));
    set("valid", step.valid);
    set("piece_mib", step.piece_mib);
    set("priority", step.priority);
    set("warmup", step.warmup);
    if (!step.call.empty()) set("call", step.call);
    set("call_setting", step.call_setting);
    if (!step.call_alone.empty()) writer.attribute("/allreduce", "call", step.call_alone);
    const std::vector<std::string> parts{"forward", "recompute", "exposed", "step", "waiting"};
    const double seconds[] = {0.3, 0, 0.01, 1, step.waiting};
    std::vector<double> values;
    for (const double second : seconds)
      for (std::size_t s = 0; s < samples; ++s)
        values.push_back(second * step.factor *
                         (1 + step.spread * std::sin(7.0 * run + static_cast<double>(s))));
    if (step.negative_step < 0) values[3 * samples] = step.negative_step;
    if (step.verified >= 0) writer.write("/step/verified", std::vector{step.verified});
    writer.write("/step/part", parts);
    writer.write("/step/measured", values, {parts.size(), samples});
    writer.finish();
  }
};

TEST_F(CompareSteps, finds_a_slower_step_and_leaves_out_parts_without_a_ratio) {
  const auto base = steps("a", 6);
  accept({.base = base, .next = steps("b", 6)});
  EXPECT_TRUE(contains(row("step"), "step")) << out;
  EXPECT_TRUE(contains(row("forward"), "forward")) << out;
  EXPECT_FALSE(contains(out, "exposed")) << out;
  EXPECT_FALSE(contains(out, "recompute")) << out;
  EXPECT_FALSE(contains(out, "waiting")) << out;
  accept({.base = base, .next = steps("d", 6, {.waiting = 1e-6})});
  EXPECT_EQ(compare({.base = base, .next = steps("c", 6, {.factor = 1.3})}), 1) << out;
}

// The two samples in the middle are 1 s and 1.127 s. The table must show their mean, as `ddproxy step` and
// the page do. Their geometric mean is 1.0616 s.
TEST_F(CompareSteps, prints_the_median_of_an_even_number_of_samples) {
  const auto base = steps("a", 1, {.spread = 0.9});
  accept({.base = base, .next = steps("b", 1, {.factor = 2, .spread = 0.9})});
  EXPECT_TRUE(contains(row("step"), " 1.0635 s ")) << out;
  EXPECT_TRUE(contains(row("step"), " 2.12701 s ")) << out;
}

TEST_F(CompareSteps, refuses_different_settings_of_the_step_unless_allowed) {
  const auto base = steps("a", 1);
  const auto expect_refused = [&](std::string const& key, StepFile const& step, std::string const& what) {
    const CompareOptions options{.base = base, .next = steps("b", 1, step)};
    const auto text = refused(options);
    EXPECT_TRUE(contains(text, key + ": " + what + " (--allow " + key + ")")) << text;
    EXPECT_EQ(std::ranges::count(text, ';'), 0) << text;
    CompareOptions allowing = options;
    allowing.allow = {key};
    accept(allowing);
  };
  expect_refused("optimizer", {.optimizer = "none"}, "'adamw, clip 1' against 'none, clip 1'");
  expect_refused("optimizer", {.clip = 0.5}, "'adamw, clip 1' against 'adamw, clip 0.5'");
  expect_refused("accumulation", {.accumulation = 4}, "'2' against '4'");
  expect_refused("sync", {.sync = "each"}, "'last' against 'each'");
  expect_refused("checkpoint", {.checkpoint = "layer"}, "'none' against 'layer'");
  expect_refused("sharding", {.sharding = "zero1, 1 lane"}, "'none' against 'zero1, 1 lane'");
  expect_refused("pieces", {.piece_mib = 4}, "'16 MiB' against '4 MiB'");
  expect_refused("priority", {.priority = "high"}, "'normal' against 'high'");
  expect_refused("call", {.call_setting = "blocking"}, "'auto' against 'blocking'");
}

TEST_F(CompareSteps, treats_steps_of_earlier_files_as_not_sharded) {
  const auto earlier = steps("a", 1, {.sharding = ""});
  accept({.base = earlier, .next = steps("b", 1)});
  const auto text = refused({.base = earlier, .next = steps("c", 1, {.sharding = "fsdp"})});
  EXPECT_TRUE(contains(text, "sharding: 'none' against 'fsdp'")) << text;
}

TEST_F(CompareSteps, names_only_the_dimensions_that_differ) {
  const auto text =
      refused({.base = steps("a", 1), .next = steps("b", 1, {.shape = "layers 4 d_model 64 heads 4"})});
  EXPECT_TRUE(contains(text, "model: 'layers 2' against 'layers 4' (--allow model)")) << text;
}

TEST_F(CompareSteps, compares_the_caps_of_buckets_but_not_of_units) {
  const std::string units = "fsdp, unit layer";
  const auto base = steps("a", 1, {.sharding = units});
  accept({.base = base, .next = steps("b", 1, {.sharding = units, .bucket_mib = 4})});
  const auto buckets = steps("c", 1);
  const auto text = refused({.base = base, .next = buckets});
  EXPECT_TRUE(contains(text, "sweep: 'units of FSDP' against 'buckets of 25 MiB' (--allow sweep)")) << text;
  const auto caps = refused({.base = buckets, .next = steps("d", 1, {.bucket_mib = 4})});
  EXPECT_TRUE(contains(caps, "sweep: 'buckets of 25 MiB' against 'buckets of 4 MiB'")) << caps;
}

TEST_F(CompareSteps, warns_of_different_calls_and_warm_ups_unless_allowed) {
  const auto expect_warning = [&](std::string const& key, StepFile const& a, StepFile const& b,
                                  std::string const& what) {
    CompareOptions options{.base = steps("a", 1, a), .next = steps("b", 1, b)};
    accept(options);
    EXPECT_TRUE(contains(warnings, " differ in " + key + ": " + what)) << warnings;
    options.allow = {key};
    accept(options);
    EXPECT_FALSE(contains(warnings, " differ in ")) << warnings;
  };
  expect_warning("call", {}, {.call = "blocking"}, "'nonblocking' against 'blocking'");
  expect_warning("call", {}, {.call = "", .call_alone = "blocking"}, "'nonblocking' against 'blocking'");
  expect_warning("warmup", {}, {.warmup = 3}, "'1' against '3'");
}

TEST_F(CompareSteps, refuses_invalid_steps_negative_times_and_backward_passes) {
  const auto base = steps("a", 1);
  EXPECT_TRUE(contains(refused({.base = base, .next = steps("b", 1, {.valid = "false"})}), "valid=false"));
  EXPECT_TRUE(contains(refused({.base = base, .next = steps("c", 1, {.negative_step = -1})}),
                       "the part step has a time of -1"));
  EXPECT_TRUE(
      contains(refused({.base = base, .next = runs("d", 1, {.replay = false})}), "sweep: 'whole step"));
}

TEST_F(CompareSteps, refuses_steps_with_wrong_numbers_even_if_allowed) {
  const auto base = steps("a", 1);
  EXPECT_TRUE(contains(refused({.base = base, .next = steps("b", 1, {.verified = 0}), .allow = {"verified"}}),
                       "wrong numbers"));
  accept({.base = base, .next = steps("c", 1, {.verified = -1})});
}

TEST_F(CompareSteps, ranks_machines_by_the_tokens_per_second_of_whole_steps) {
  Paths all = steps("a", 6, {.factor = 1.3});
  CompareOptions options{.rank_machines = true};
  for (auto const& path : all) options.labels[path] = "slow";
  const auto quick = steps("b", 6);
  all.insert(all.end(), quick.begin(), quick.end());
  options.base = all;
  EXPECT_EQ(compare(options), 0);
  std::istringstream lines(out);
  std::string line, words, machine;
  std::vector<std::pair<bool, double>> ranked;  // whether the machine is the slow one, and its tokens/s
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream numbers(line.substr(line.find("measured")));
    double count = 0, tokens = 0;
    numbers >> words >> count >> tokens;
    EXPECT_EQ(count, 6) << line;
    ranked.emplace_back(contains(line, "slow"), tokens);
  }
  ASSERT_EQ(ranked.size(), 2U) << out;
  const double tokens = 2 * 4 * 16 * 2;  // accumulation x batch x sequence x ranks, in 1 s
  EXPECT_FALSE(ranked[0].first) << out;
  EXPECT_NEAR(ranked[0].second, tokens, 0.01 * tokens) << out;
  EXPECT_NEAR(ranked[1].second, tokens / 1.3, 0.01 * tokens) << out;
  EXPECT_FALSE(contains(warnings, "told apart") || contains(warnings, "no figure of merit")) << warnings;
}

TEST_F(CompareSteps, does_not_rank_steps_with_backward_passes_or_different_accumulation) {
  Paths all = steps("a", 1);
  all.push_back(runs("b", 1, {.replay = false})[0]);
  const auto text = refused({.base = all, .rank_machines = true});
  EXPECT_TRUE(contains(text, "whole steps (" + all[0].string() + ")")) << text;
  EXPECT_TRUE(contains(text, "backward passes (" + all[1].string() + ")")) << text;
  const auto other =
      refused({.base = {all[0], steps("c", 1, {.accumulation = 4})[0]}, .rank_machines = true});
  EXPECT_TRUE(contains(other, "--allow accumulation")) << other;
}

}  // namespace
}  // namespace ddproxy::test
