// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/options/parse_options.hpp"

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

TEST(Options, RunTakesLimitsOfModelErrorAndRegretButSweepDoesNot) {
  int code = 0;
  const auto options = parse({"run", "in.toml", "--max-model-error", "0.1", "--max-regret=0.01"}, code);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->max_model_error, 0.1);
  EXPECT_EQ(options->max_regret, 0.01);
  EXPECT_FALSE(parse({"run", "in.toml", "--max-regret", "-1"}, code));
  EXPECT_EQ(code, 2);
  EXPECT_FALSE(parse({"sweep", "in.toml", "--max-regret", "0.01"}, code)) << "it predicts nothing";
  EXPECT_EQ(code, 2);
}

TEST(Options, MaxSecondsMustBePositive) {
  int code = 0;
  for (auto command : {"run", "sweep"}) {
    const auto options = parse({command, "in.toml", "--max-seconds", "2.5"}, code);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->max_seconds, 2.5);
    for (auto bad : {"0", "-1", "soon"}) {
      EXPECT_FALSE(parse({command, "in.toml", "--max-seconds", bad}, code)) << bad;
      EXPECT_EQ(code, 2);
    }
  }
}

TEST(Options, AnInterruptedRunCanBeContinued) {
  int code = 0;
  for (auto command : {"run", "sweep", "step"}) {
    const auto options = parse({command, "in.toml", "--resume", "out.h5.part"}, code);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->resume, "out.h5.part");
    EXPECT_FALSE(parse({command, "in.toml", "--resume", "auto", "--dry-run"}, code));
    EXPECT_EQ(code, 2);
    EXPECT_FALSE(parse({command, "in.toml", "--resume", "auto", "--", "--benchmark_filter=flat"}, code));
    EXPECT_EQ(code, 2);
  }
  EXPECT_FALSE(parse({"step", "--against", "published", "--resume", "auto"}, code)) << "it measures nothing";
  EXPECT_EQ(code, 2);
  EXPECT_FALSE(parse({"sweep", "in.toml", "--resume", "auto", "--turns", "a,b"}, code))
      << "the gate starts anew";
  EXPECT_EQ(code, 2);
  EXPECT_FALSE(parse({"layers", "in.toml", "--resume", "auto"}, code)) << "it has no rounds";
  EXPECT_EQ(code, 2);
}

TEST(Options, TheNumberOfThreadsIsReadAndItsRangeIsChecked) {
  int code = 0;
  const auto options = parse({"sweep", "in.toml", "--kokkos-num-threads=3", "--strict"}, code);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->threads, 3);
  EXPECT_TRUE(options->strict);
  for (auto wrong : {"0", "-1", "many", "5000"}) {
    EXPECT_FALSE(parse({"run", "in.toml", "--kokkos-num-threads", wrong}, code)) << wrong;
    EXPECT_EQ(code, 2);
  }
}

TEST(Options, RunsAndRankedMachinesCanHaveLabels) {
  int code = 0;
  for (auto command : {"run", "sweep"}) {
    const auto options = parse({command, "in.toml", "--label", "offer A, 2nd"}, code);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->label, "offer A, 2nd");
  }
  for (auto wrong : {"", "two\nlines"}) {
    EXPECT_FALSE(parse({"sweep", "in.toml", "--label", wrong}, code)) << wrong;
    EXPECT_EQ(code, 2);
  }
  const auto ranked = parse({"compare", "--rank-machines", "A 1=a.h5", "b.h5", "--new", "C=c=d.h5"}, code);
  ASSERT_TRUE(ranked);
  EXPECT_EQ(ranked->compare.base, (std::vector<std::filesystem::path>{"a.h5", "b.h5"}));
  EXPECT_EQ(ranked->compare.next, (std::vector<std::filesystem::path>{"c=d.h5"}));
  EXPECT_EQ(ranked->compare.labels,
            (std::map<std::filesystem::path, std::string>{{"a.h5", "A 1"}, {"c=d.h5", "C"}}));
  const auto sides = parse({"compare", "A=a.h5", "b.h5"}, code);
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->compare.base, (std::vector<std::filesystem::path>{"A=a.h5"})) << "labels are for ranking";
}

TEST(Options, CompareTakesTwoFilesOrSeveralFilesPerSide) {
  using Paths = std::vector<std::filesystem::path>;
  int code = 0;
  const auto pair = parse({"compare", "a.h5", "b.h5", "--tolerance", "3%"}, code);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->compare.base, Paths{"a.h5"});
  EXPECT_EQ(pair->compare.next, Paths{"b.h5"});
  EXPECT_EQ(pair->compare.tolerance, 0.03);
  const auto sides = parse({"compare", "--base", "a", "b", "--new", "c", "d", "--allow", "ranks"}, code);
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->compare.base, (Paths{"a", "b"}));
  EXPECT_EQ(sides->compare.next, (Paths{"c", "d"}));
  EXPECT_EQ(sides->compare.allow, std::vector<std::string>{"ranks"});
  const auto machines = parse({"compare", "--rank-machines", "a", "b"}, code);
  ASSERT_TRUE(machines);
  EXPECT_EQ(machines->compare.base, (Paths{"a", "b"}));
}

TEST(Options, ArgumentsAfterTwoDashesAreForGoogleBenchmark) {
  int code = 0;
  const auto options = parse({"sweep", "in.toml", "--", "--benchmark_filter=flat"}, code);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->benchmark, std::vector<std::string>{"--benchmark_filter=flat"});
}

TEST(Options, BadUsageGivesExitCodeTwo) {
  const std::vector<std::vector<char const*>> bad{{},
                                                  {"run"},
                                                  {"rum", "in.toml"},
                                                  {"run", "in.toml", "--bogus"},
                                                  {"allreduce", "in.toml", "--pieces", "0"},
                                                  {"collectives", "in.toml", "--op", "alltoall"},
                                                  {"collectives", "in.toml", "--op", "receive"},
                                                  {"collectives", "in.toml", "--op", "allreduce,all_reduce"},
                                                  {"collectives", "in.toml", "--op="},
                                                  {"collectives", "in.toml", "--sizes", "-1"},
                                                  {"collectives", "in.toml", "--group", "1"},
                                                  {"collectives", "in.toml", "--group", "-2"},
                                                  {"collectives", "in.toml", "--group", "2.5"},
                                                  {"collectives", "in.toml", "--group", "two"},
                                                  {"allreduce", "in.toml", "--group", "2"},
                                                  {"collectives", "in.toml", "--strided"},
                                                  {"run", "in.toml", "--trace-cases", "flat"},
                                                  {"compare", "a", "b", "--tolerance", "much"}};
  for (auto const& arguments : bad) {
    int code = 0;
    EXPECT_FALSE(parse(arguments, code));
    EXPECT_EQ(code, 2);
  }
}

TEST(Options, TheOldNameChunksStillSetsThePieces) {
  for (char const* name : {"--pieces", "--chunks"}) {
    int code = 0;
    const auto options = parse({"allreduce", "in.toml", name, "0.1,4"}, code);
    ASSERT_TRUE(options) << name;
    EXPECT_EQ(options->pieces_mib, (std::vector<double>{0.1, 4}));
  }
}

TEST(Options, CollectivesTakeVerbsAndSizes) {
  using model::Verb;
  int code = 0;
  const auto all = parse({"collectives", "in.toml"}, code);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->verbs,
            (std::vector{Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather, Verb::broadcast}))
      << "a send is measured only if --op names it";
  const auto some =
      parse({"collectives", "in.toml", "--op", "broadcast,allreduce", "--sizes", "0.5,4"}, code);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->verbs, (std::vector{Verb::broadcast, Verb::all_reduce}));
  EXPECT_EQ(some->sizes_mib, (std::vector<double>{0.5, 4}));
  EXPECT_FALSE(some->group);
  const auto sends = parse({"collectives", "in.toml", "--op", "send,allreduce"}, code);
  ASSERT_TRUE(sends);
  EXPECT_EQ(sends->verbs, (std::vector{Verb::send, Verb::all_reduce}));
  const auto grouped = parse({"collectives", "in.toml", "--group", "2"}, code);
  ASSERT_TRUE(grouped);
  EXPECT_EQ(grouped->group, 2);
  EXPECT_FALSE(grouped->strided);
  const auto strided = parse({"collectives", "in.toml", "--group", "2", "--strided"}, code);
  ASSERT_TRUE(strided);
  EXPECT_TRUE(strided->strided);
}

TEST(Options, StepTakesLabelAndDryRunButNotTogetherWithAgainst) {
  int code = 0;
  const auto step = parse({"step", "in.toml", "--label", "offer A", "--dry-run"}, code);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->label, "offer A");
  EXPECT_TRUE(step->dry_run);
  const std::vector<std::vector<char const*>> extras{{"--dry-run"}, {"--label", "offer", "--strict"}};
  for (auto const& extra : extras) {
    std::vector<char const*> arguments{"step", "--against", "published"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_FALSE(parse(arguments, code));
    EXPECT_EQ(code, 2);
  }
  EXPECT_FALSE(parse({"step", "in.toml", "--label", "two\nlines"}, code));
}

// Many programs take - for standard output. A file with this name would be a surprise.
TEST(Options, ADashIsRefusedAsTheNameOfAnOutputFile) {
  const std::vector<std::pair<char const*, std::vector<char const*>>> outputs{
      {"run", {"-o", "--json", "--trace"}},
      {"step", {"-o", "--json", "--trace"}},
      {"collectives", {"-o", "--json"}},
      {"predict", {"--json", "--csv"}},
      {"account", {"--json"}},
      {"memory", {"--json"}},
      {"compare", {"--json", "--csv", "--junit", "--night"}}};
  for (auto const& [command, options] : outputs)
    for (auto const* option : options) {
      std::vector<char const*> arguments{command, option, "-", "old"};
      if (command == std::string("compare")) arguments.push_back("new");
      int code = 0;
      EXPECT_FALSE(parse(arguments, code)) << command << " " << option;
      EXPECT_EQ(code, 2);
      arguments[2] = "./-";
      EXPECT_TRUE(parse(arguments, code)) << command << " " << option;
    }
  int code = 0;
  EXPECT_TRUE(parse({"run", "in.toml", "--label", "-"}, code));
}

TEST(Options, HelpAndVersionGiveExitCodeZero) {
  for (char const* word : {"--help", "--version"}) {
    int code = -1;
    EXPECT_FALSE(parse({word}, code));
    EXPECT_EQ(code, 0);
  }
}

}  // namespace
}  // namespace ddproxy
