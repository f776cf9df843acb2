// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "ctest/results/compare_runs.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::test {
namespace {

// Compares runs that differ in one condition, and checks the warning or the error that names it.
class Conditions : public Compare {
 protected:
  void expect_warning(std::string const& key, Sample const& first, Sample const& other,
                      std::string const& values) {
    const CompareOptions options{.base = runs("a", 1, first), .next = runs("b", 1, other)};
    accept(options);
    EXPECT_TRUE(contains(
        warnings, "a0.h5 and " + (folder / "b0.h5").string() + " differ in " + key + ": " + values + "; "))
        << warnings;
    EXPECT_EQ(count(" differ in "), 1) << warnings;
    CompareOptions allowing = options;
    allowing.allow = {key};
    accept(allowing);
    EXPECT_EQ(count(" differ in "), 0) << warnings;
  }

  std::ptrdiff_t count(std::string const& part) const {
    std::ptrdiff_t n = 0;
    for (auto at = warnings.find(part); at != std::string::npos; at = warnings.find(part, at + 1)) ++n;
    return n;
  }

  void expect_allowed_only_by(std::string const& key, Sample const& sample, std::string const& what) {
    const CompareOptions options{.base = runs("a", 1, {}), .next = runs("b", 1, sample)};
    EXPECT_TRUE(contains(refused(options), "b0.h5: " + what)) << refused(options);
    EXPECT_TRUE(contains(refused(options), "accept it with --allow " + key));
    EXPECT_TRUE(contains(refused({.base = options.next, .rank_machines = true}), what));
    CompareOptions allowing = options;
    allowing.allow = {key};
    accept(allowing);
  }
};

TEST_F(Conditions, warns_of_different_software) {
  for (std::string key : {"compiler", "blas", "mpi"})
    expect_warning(key, {.provenance = {{key, "one 1.0"}}}, {.provenance = {{key, "two 2.0"}}},
                   "'one 1.0' against 'two 2.0'");
  expect_warning("flags", {.provenance = {{"flags", "-g -O3 -DNDEBUG"}}},
                 {.provenance = {{"flags", "-g -O2 -DNDEBUG"}}}, "'-O3' against '-O2'");
  expect_warning("flags", {.provenance = {{"flags", "-O3 (kernels: -ffast-math -mno-recip)"}}},
                 {.provenance = {{"flags", "-O3 (kernels: -ffast-math)"}}},
                 "'(kernels: -ffast-math -mno-recip)' against '(kernels: -ffast-math)'");
  expect_warning("flags", {.provenance = {{"flags", "-O2 -O3"}}}, {.provenance = {{"flags", "-O3 -O2"}}},
                 "'-O2 -O3' against '-O3 -O2'");
}

TEST_F(Conditions, warns_of_a_different_kokkos_but_not_of_different_threads) {
  const std::string one = "Kokkos Version: 4.7.0\n  DEBUG: no\nKokkos::OpenMP thread_pool[ 1 ]\n";
  const std::string other = "Kokkos Version: 4.7.0\n  DEBUG: yes\nKokkos::OpenMP thread_pool[ 1 ]\n";
  const std::string threads = "Kokkos Version: 4.7.0\n  DEBUG: no\nKokkos::OpenMP thread_pool[ 2 ]\n";
  expect_warning("kokkos", {.provenance = {{"kokkos", one}}}, {.provenance = {{"kokkos", other}}},
                 "'DEBUG: no' against 'DEBUG: yes'");
  accept({.base = runs("a", 1, {.provenance = {{"kokkos", one}}}),
          .next = runs("b", 1, {.provenance = {{"kokkos", threads}}})});
  EXPECT_EQ(count(" differ in "), 0) << warnings;
}

TEST_F(Conditions, warns_of_different_hosts_bindings_and_calls) {
  expect_warning("host", {}, {.host = "node2"}, "'node1' against 'node2'");
  expect_warning("binding", {}, {.binding = "0-3"}, "'rank 0 on 0' against 'rank 0 on 0-3'");
  expect_warning("call", {.call = "nonblocking"}, {.call = "blocking"}, "'nonblocking' against 'blocking'");
  expect_warning("call", {}, {.allreduce = "mpi, host buffers, fp32, poll"},
                 "'mpi, host buffers, fp32, thread' against 'mpi, host buffers, fp32, poll'");
  expect_warning("call", {.call = "nonblocking"}, {.allreduce = "another, thread", .call = "blocking"},
                 "'nonblocking' against 'blocking'");
}

TEST_F(Conditions, warns_of_different_calls_that_the_setting_auto_chose) {
  const Sample auto_blocking{.call = "blocking", .call_setting = "auto"};
  const Sample auto_nonblocking{.call = "nonblocking", .call_setting = "auto"};
  expect_warning("call", auto_nonblocking, auto_blocking, "'nonblocking' against 'blocking'");
  const Sample earlier{.call = "nonblocking"};
  accept({.base = runs("a", 1, earlier), .next = runs("b", 1, auto_nonblocking)});
  EXPECT_EQ(count("the value of call is missing"), 0) << warnings;
}

TEST_F(Conditions, warns_of_clocks_that_are_more_than_5_percent_apart) {
  expect_warning("clock", {}, {.clock_hz = 2.3e9}, "'2.50 GHz' against '2.30 GHz' (rank 0)");
  expect_warning("clock", {}, {.memory_clock_hz = 1.3e9}, "'1.20 GHz' against '1.30 GHz' (rank 0)");
  const auto base = runs("a", 1, {});
  accept({.base = base, .next = runs("b", 1, {.clock_hz = 2.4e9})});
  EXPECT_EQ(count(" differ in "), 0) << warnings;
  accept({.base = base, .next = runs("b", 1, {.clock_hz = std::nan("")})});
  EXPECT_EQ(count(" differ in "), 0) << warnings;
  const Paths drifting{base[0], runs("b", 1, {.clock_hz = 2.4e9})[0]};
  accept({.base = drifting, .next = runs("c", 1, {.clock_hz = 2.6e9})});
  EXPECT_TRUE(contains(warnings, "b0.h5 and " + (folder / "c0.h5").string() + " differ in clock"))
      << warnings;
}

TEST_F(Conditions, warns_of_different_states_of_the_machine) {
  expect_warning("state", {.round_trip = 54e-9}, {.round_trip = 330e-9},
                 "'54 ns' against '330 ns' (round trip between cores)");
  accept({.base = runs("a", 1, {.round_trip = 54e-9}), .next = runs("b", 1, {.round_trip = 80e-9})});
  EXPECT_EQ(count(" differ in "), 0) << warnings;
}

TEST_F(Conditions, warns_of_each_key_once_if_several_files_differ) {
  accept({.base = runs("a", 3, {}), .next = runs("b", 3, {.host = "node2", .binding = "7"})});
  EXPECT_EQ(count(" differ in host: "), 1) << warnings;
  EXPECT_EQ(count(" differ in binding: "), 1) << warnings;
  EXPECT_EQ(count(" differ in "), 2) << warnings;
}

TEST_F(Conditions, warns_of_settings_that_change_only_the_noise) {
  expect_warning("warmup", {}, {.warmup = 3}, "'1' against '3'");
  expect_warning("compute_samples", {}, {.compute_source = "round"}, "'own' against 'round'");
}

TEST_F(Conditions, warns_of_values_that_are_missing_from_a_file) {
  const CompareOptions options{.base = runs("a", 2, {.provenance = {{"mpi", ""}}}), .next = runs("b", 1, {})};
  accept(options);
  EXPECT_TRUE(contains(warnings, "a0.h5 and 1 more: the value of mpi is missing")) << warnings;
  EXPECT_EQ(count("not compared"), 1) << warnings;
  CompareOptions allowing = options;
  allowing.allow = {"mpi"};
  accept(allowing);
  EXPECT_EQ(count("not compared"), 0) << warnings;
}

TEST_F(Conditions, refuses_runs_that_are_not_marked_as_valid) {
  expect_allowed_only_by("valid", {.valid = "false"}, "valid=false");
  expect_allowed_only_by("valid", {.valid = "none"}, "valid=missing");
  expect_allowed_only_by("valid", {.valid = "perhaps"}, "valid=perhaps");
  accept({.base = runs("a", 1, {.replay = false}), .next = runs("b", 1, {.replay = false})});
  accept({.base = runs("a", 1, {}), .next = runs("b", 1, {.is_complete = false})});
  EXPECT_TRUE(contains(warnings, "b0.h5: the run was interrupted")) << warnings;
}

TEST_F(Conditions, compares_runs_of_one_rank_only_with_runs_of_one_rank) {
  const Sample one{.replay = false, .ranks = 1, .valid = "single"};
  accept({.base = runs("a", 1, one), .next = runs("b", 1, one)});
  const Sample earlier{.replay = false, .ranks = 1, .valid = "true"};
  accept({.base = runs("a", 1, earlier), .next = runs("b", 1, one)});
  const CompareOptions mixed{.base = runs("a", 1, one), .next = runs("b", 1, {.replay = false})};
  EXPECT_TRUE(contains(refused(mixed), "ranks: '1' against '8'"));
}

TEST_F(Conditions, reads_valid_true_of_earlier_files_as_replay_single_or_true) {
  make_sample(folder / "old.h5", {.valid = "true"});
  EXPECT_EQ(results::read_run(folder / "old.h5").valid, "replay");
  make_sample(folder / "one.h5", {.replay = false, .ranks = 1, .valid = "true"});
  EXPECT_EQ(results::read_run(folder / "one.h5").valid, "single");
  make_sample(folder / "two.h5", {.replay = false, .ranks = 2, .valid = "true"});
  EXPECT_EQ(results::read_run(folder / "two.h5").valid, "true");
}

TEST_F(Conditions, refuses_cases_that_were_not_verified) {
  const std::string what = "the gradients of the case naive and 9 more were not verified";
  expect_allowed_only_by("verified", {.is_verified = false}, what);
  expect_allowed_only_by("verified", {.has_verified = false}, what);
  const CompareOptions wrong{
      .base = runs("a", 1, {}), .next = runs("b", 1, {.is_right = false}), .allow = {"verified", "valid"}};
  EXPECT_TRUE(contains(refused(wrong), "wrong gradients"));
}

TEST_F(Conditions, cases_of_other_programs_need_no_verification) {
  const Sample theirs{.is_verified = false, .source = "pytorch", .valid = "none"};
  accept({.base = runs("a", 1, theirs), .next = runs("b", 1, theirs)});
}

TEST_F(Conditions, refuses_to_compare_different_modes_or_numbers_of_ranks) {
  const auto base = runs("a", 1, {.replay = false, .ranks = 1});
  const CompareOptions replay{.base = base, .next = runs("b", 1, {.ranks = 1}), .allow = {"device"}};
  EXPECT_TRUE(contains(refused(replay), "(--allow mode)"));
  const CompareOptions ranks{.base = base, .next = runs("c", 1, {.replay = false, .ranks = 2})};
  EXPECT_TRUE(contains(refused(ranks), "ranks: '1' against '2' (--allow ranks)"));
  accept({.base = base, .next = replay.next, .allow = {"device", "mode"}});
  accept({.base = base, .next = ranks.next, .allow = {"ranks"}});
}

TEST_F(Conditions, the_error_of_an_unknown_key_lists_all_keys) {
  const auto text = refused({.allow = {"colour"}, .dry_run = true});
  EXPECT_TRUE(contains(text, "--allow colour: there is no such key; the keys are model, step,")) << text;
  EXPECT_EQ(text.find(" call,"), text.rfind(" call,")) << text;
  for (std::string key : {"valid", "verified", "host", "compiler", "flags", "blas", "mpi", "kokkos",
                          "binding", "clock", "call", "warmup", "compute_samples"}) {
    EXPECT_TRUE(contains(text + ",", " " + key + ",")) << key;
    EXPECT_EQ(compare({.allow = {key}, .dry_run = true}), 0);
  }
}

TEST_F(Conditions, a_tolerance_is_a_share_above_0_and_below_1) {
  for (std::string text :
       {"0", "0%", "-1%", "-0.02", "nan", "inf", "1", "100%", "2", "", "%", "2%%", "2 %", "two"})
    EXPECT_THROW(results::parse_share("--tolerance", text), std::invalid_argument) << text;
  EXPECT_DOUBLE_EQ(results::parse_share("--tolerance", "2%"), 0.02);
  EXPECT_DOUBLE_EQ(results::parse_share("--tolerance", "0.02"), 0.02);
}

}  // namespace
}  // namespace ddproxy::test
