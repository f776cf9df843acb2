// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/thread_choice.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "miniapp/cores/thread_text.hpp"

namespace ddproxy {
namespace {

ThreadWish wish_of(int command_line, std::map<std::string, std::string> const& set, int input_file,
                   std::string const& own = "") {
  const auto variable = [&](char const* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  return find_wish(command_line, input_file, variable, [&](char const* name) { return name == own; });
}

TEST(ThreadWish, PrefersTheCommandLineThenTheEnvironmentThenTheInput) {
  EXPECT_EQ(wish_of(5, {{"OMP_NUM_THREADS", "4"}}, 3).source, "--kokkos-num-threads");
  EXPECT_EQ(wish_of(0, {{"OMP_NUM_THREADS", "4"}, {"KOKKOS_NUM_THREADS", "2"}}, 3).threads, 2);
  EXPECT_EQ(wish_of(0, {{"OMP_NUM_THREADS", "4,2"}}, 3).threads, 4) << "of the outer parallel region";
  EXPECT_EQ(wish_of(0, {}, 3).source, "[machine] threads");
  EXPECT_EQ(wish_of(0, {}, 0).threads, 0);
}

TEST(ThreadWish, IgnoresInvalidVariablesAndVariablesOfTheFirstStart) {
  EXPECT_EQ(wish_of(0, {{"OMP_NUM_THREADS", "many"}}, 0).threads, 0);
  EXPECT_EQ(wish_of(0, {{"OMP_NUM_THREADS", "1"}}, 0, "OMP_NUM_THREADS").threads, 0);
  EXPECT_EQ(wish_of(0, {{"OMP_NUM_THREADS", "1"}}, 7, "OMP_NUM_THREADS").threads, 7);
}

TEST(ChooseThreads, UnboundRanksShareTheCoresEqually) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  for (auto const& choice : choose_threads({{all}, {all}})) {
    EXPECT_EQ(choice.threads, 3);
    EXPECT_EQ(choice.own, 4);
    EXPECT_EQ(choice.allowed, 8);
    EXPECT_EQ(choice.sharing, 2);
    EXPECT_FALSE(choice.oversubscribed);
  }
}

TEST(ChooseThreads, BoundRanksAndASingleRankShareNoCores) {
  const auto bound = choose_threads({{{0}}, {{1}}});
  EXPECT_EQ(bound[1].threads, 1);
  EXPECT_EQ(bound[1].sharing, 1);
  EXPECT_FALSE(bound[1].oversubscribed);
  EXPECT_EQ(choose_threads({{{0, 1}}})[0].threads, 2);
}

TEST(ChooseThreads, AWishIsFollowedEvenIfCoresAreOversubscribed) {
  const auto choice = choose_threads({{{0, 1}, 2}, {{0, 1}, 2}})[0];
  EXPECT_EQ(choice.threads, 2);
  EXPECT_EQ(choice.own, 1);
  EXPECT_TRUE(choice.oversubscribed);
  EXPECT_FALSE(choose_threads({{{0, 1}, 1}, {{0, 1}, 1}})[0].oversubscribed);
}

TEST(ChooseThreads, TheRanksOfANodeDivideTheCpuQuota) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  for (auto const& choice : choose_threads({{all}, {all}}, 5.5)) {
    EXPECT_EQ(choice.threads, 2);
    EXPECT_EQ(choice.own, 2);
    EXPECT_EQ(choice.quota, 5.5);
    EXPECT_FALSE(choice.oversubscribed);
  }
  EXPECT_EQ(choose_threads({{all}}, 8)[0].quota, std::numeric_limits<double>::infinity());
  EXPECT_EQ(choose_threads({{all}}, 8)[0].threads, 7);
  EXPECT_FALSE(choose_threads({{all}}, 1)[0].oversubscribed);
  EXPECT_TRUE(choose_threads({{all}}, 0.9)[0].oversubscribed) << "one thread is more than the quota";
  EXPECT_TRUE(choose_threads({{all}, {all}}, 1.9)[1].oversubscribed);
  EXPECT_TRUE(choose_threads({{all, 3}}, 2)[0].oversubscribed);
  EXPECT_FALSE(choose_threads({{all, 2}}, 2)[0].oversubscribed);
}

TEST(Threads, TheLineAndTheComplaintNameTheCpuQuota) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(describe(choose_threads({{all}}, 2.5), {}),
            "threads: the control group has a CPU quota of 2.5 cores; the only rank may run on 8 cores and "
            "computes with 2 threads; communication runs on the cores that also compute");
  EXPECT_EQ(complain_of_threads(choose_threads({{all}}, 2), {}), "");
  EXPECT_EQ(complain_of_threads(choose_threads({{all, 4}}, 2), {4, "OMP_NUM_THREADS"}),
            "the only rank of a node computes with 4 threads, and the CPU quota of the control group is 2 "
            "cores: the operating system stops threads that exceed the quota, so the measured times are too "
            "long. Set OMP_NUM_THREADS to at most 2, or leave it out, or raise the quota");
  EXPECT_NE(complain_of_threads(choose_threads({{all}, {all}}, 1), {}).find("or start fewer ranks"),
            std::string::npos);
  EXPECT_TRUE(complain_of_threads(choose_threads({{all}}, 0.5), {}).ends_with("to at least one core"));
}

TEST(Threads, TheLineNamesThreadsRanksCoresAndTheReason) {
  EXPECT_EQ(
      describe(choose_threads({{{0, 1}}, {{0, 1}}}), {}),
      "threads: 2 ranks share 2 cores; each of 2 ranks computes with 1 thread; communication runs on the "
      "core that also computes");
  EXPECT_EQ(
      describe(choose_threads({{{0}}, {{1}}}), {}),
      "threads: each of 2 ranks has 1 core of its own and computes with 1 thread; communication runs on the "
      "core that also computes");
  EXPECT_EQ(describe(choose_threads({{{0, 1, 2, 3}}}), {}),
            "threads: the only rank has 4 cores of its own and computes with 3 threads; one core is left for "
            "communication");
  EXPECT_EQ(
      describe(choose_threads({{{0}, 1}}), {1, "OMP_NUM_THREADS"}),
      "threads: the only rank has 1 core of its own and computes with 1 thread, as OMP_NUM_THREADS says; "
      "communication runs on the core that also computes");
}

TEST(Threads, TheComplaintSaysHowToAvoidOversubscription) {
  EXPECT_EQ(complain_of_threads(choose_threads({{{0, 1}}, {{0, 1}}}), {}), "");
  const auto wished = complain_of_threads(choose_threads({{{0, 1}, 2}, {{0, 1}, 2}}), {2, "OMP_NUM_THREADS"});
  EXPECT_NE(wished.find("2 ranks of a node share 2 cores, and each rank has 2 threads (OMP_NUM_THREADS)"),
            std::string::npos)
      << wished;
  EXPECT_NE(wished.find("Set OMP_NUM_THREADS to 1, or leave it out"), std::string::npos) << wished;
  const auto many = complain_of_threads(choose_threads({{{0, 1}}, {{0, 1}}, {{0, 1}}}), {});
  EXPECT_NE(many.find("3 ranks of a node share 2 cores"), std::string::npos) << many;
  EXPECT_NE(many.find("Start fewer ranks"), std::string::npos) << many;
}

// Returns the complaint about idle cores of a node with the ranks `node`, if the launcher may use `cores`
// cores.
std::string idle(std::vector<Seat> const& node, int cores) {
  auto ranks = choose_threads(node);
  for (auto& rank : ranks) rank.launcher_cores = cores;
  return complain_of_idle_cores(ranks);
}

TEST(Threads, AComplaintCountsCoresThatTheLauncherLeavesIdle) {
  EXPECT_EQ(
      idle({{{0}}, {{1}}}, 64),
      "the launcher lets the 2 ranks of a node use 2 of the 64 cores that it has there, so compute takes "
      "longer than it could. Start the ranks with --bind-to none (Open MPI), or with a larger "
      "--cpus-per-task "
      "(SLURM)");
  EXPECT_NE(idle({{{3}}}, 2).find("the only rank of a node use 1 of the 2 cores that it has there"),
            std::string::npos);
  EXPECT_EQ(idle({{{0}}, {{1}}}, 3), "") << "more than half of the cores";
  EXPECT_EQ(idle({{{0}}, {{1}}}, 0), "") << "the user has chosen";
  EXPECT_EQ(idle({{{0, 1}}, {{0, 1}}, {{0, 1}}}, 2), "")
      << "ranks without a core of their own still use both";
}

}  // namespace
}  // namespace ddproxy
