// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>

#include "ctest/folders.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/cores/node_cores.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/measure/calibration/choose_mpi_calls.hpp"
#include "miniapp/measure/calibration/compare_mpi_calls.hpp"

namespace ddproxy {
namespace {

int ranks() {
  return test_runtime->ranks();
}

TEST(MpiCallTable, ChangesHalfWayBetweenTwoSizes) {
  const MpiCallTable mpi_calls({1024, 8192, 65536, 524288}, {false, true, true, false});
  EXPECT_EQ(mpi_calls.ranges(),
            (std::vector<MpiCallTable::Range>{{0, false}, {2896, true}, {185364, false}}));
  EXPECT_FALSE(mpi_calls.blocking(1));
  EXPECT_FALSE(mpi_calls.blocking(2895));
  EXPECT_TRUE(mpi_calls.blocking(2896));
  EXPECT_TRUE(mpi_calls.blocking(185363));
  EXPECT_FALSE(mpi_calls.blocking(1 << 30));
  EXPECT_TRUE(mpi_calls.ever_blocking());
  EXPECT_EQ(
      mpi_calls.description(),
      "nonblocking below 2896 bytes, blocking from 2896 to 185363 bytes, nonblocking from 185364 bytes on");
}

TEST(MpiCallTable, WithOneCallIsDescribedByItsName) {
  EXPECT_EQ(MpiCallTable().description(), "nonblocking");
  EXPECT_FALSE(MpiCallTable().ever_blocking());
  EXPECT_EQ(MpiCallTable(true).description(), "blocking");
  EXPECT_EQ(MpiCallTable({1024, 8192}, {true, true}).description(), "blocking");
  EXPECT_THROW(MpiCallTable({1024}, {true, false}), std::invalid_argument);
  EXPECT_THROW(MpiCallTable({}, {}), std::invalid_argument);
}

TEST(PrefersBlocking, ChoosesTheFasterCallUnlessTheSlowerCallOverlapsMore) {
  EXPECT_TRUE(prefers_blocking({4096, 1e-6, 2e-6}));
  EXPECT_FALSE(prefers_blocking({4096, 2e-6, 1e-6}));
  EXPECT_TRUE(prefers_blocking({4096, 1e-6, 2e-6, 1.02, 1.0}));
  EXPECT_FALSE(prefers_blocking({4096, 1e-6, 2e-6, 1.04, 1.0}));
  EXPECT_FALSE(prefers_blocking({4096, 2e-6, 1e-6, 1.0, 1.02}));
  EXPECT_TRUE(prefers_blocking({4096, 2e-6, 1e-6, 1.0, 1.04}));
}

TEST(PrefersBlocking, IgnoresTheOverlapIfThePairsDisagree) {
  EXPECT_TRUE(prefers_blocking({4096, 1e-6, 2e-6, 1.04, 1.0, false}));
  EXPECT_FALSE(prefers_blocking({4096, 2e-6, 1e-6, 1.0, 1.04, false}));
}

// When a test ends, restores the cores that the calling thread may use.
struct Affinity {
  Affinity() { sched_getaffinity(0, sizeof before, &before); }
  ~Affinity() { sched_setaffinity(0, sizeof before, &before); }
  cpu_set_t before;
};

// Restricts the calling thread to the first `count` of all cores. The kernel ignores cores that do not exist.
// Returns how many cores the thread may then use.
int allow_first(int count) {
  cpu_set_t all, some;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&some);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < count; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
  sched_setaffinity(0, sizeof some, &some);
  return CPU_COUNT(&some);
}

TEST(CoreShare, DividesSharedCoresAmongTheRanks) {
  const Affinity affinity;
  const int all = allow_first(CPU_SETSIZE);
  EXPECT_NEAR(test_runtime->sum(core_share(MPI_COMM_WORLD)), all, 1e-9);
  allow_first(1);
  EXPECT_NEAR(core_share(MPI_COMM_WORLD), 1.0 / ranks(), 1e-9);
}

class Calls : public testing::Test {
 protected:
  Calls() : config(read_config(std::filesystem::path(source_folder) / "inputs/tiny.toml")) {}
  RankContext context() { return make_rank_context(config, make_workload(config), *test_runtime); }
  Config config;
};

TEST_F(Calls, AreTheSameOnAllRanks) {
  RankContext context = this->context();
  context.choice = compare_mpi_calls(context, true);
  const auto said = context.choice.mpi_calls.description();
  for (auto const& other : test_runtime->gather(said)) EXPECT_EQ(other, said);
  EXPECT_TRUE(context.choice.reason.starts_with(
      "Chosen automatically: the blocking and the nonblocking call were timed at "))
      << context.choice.reason;
  EXPECT_NE(context.choice.reason.find(". The ratio of their times (blocking / nonblocking) is "),
            std::string::npos)
      << context.choice.reason;
  EXPECT_NE(context.choice.reason.find(" while compute runs. "), std::string::npos) << context.choice.reason;
  EXPECT_TRUE(context.choice.own_core);
}

TEST_F(Calls, OfTheEngineAreTheChosenCalls) {
  RankContext context = this->context();
  choose_mpi_calls(context);
  auto const& mpi_calls = context.choice.mpi_calls;
  const auto expected = mpi_calls.ever_blocking()
                            ? "mpi, host buffers, fp32, " + mpi_calls.description() + ", thread"
                            : "mpi, host buffers, fp32, thread";
  EXPECT_EQ(context.allreduce->description(), expected);
}

TEST_F(Calls, AreNonblockingOnAllRanksIfOneRankSharesItsCore) {
  const Affinity affinity;
  if (ranks() != 2 || allow_first(2) < 2) GTEST_SKIP() << "needs two ranks and two cores";
  RankContext context = this->context();
  allow_first(test_runtime->root() ? 2 : 1);
  choose_mpi_calls(context);
  EXPECT_EQ(context.choice.mpi_calls.description(), "nonblocking");
}

TEST_F(Calls, AreNonblockingIfRanksShareACore) {
  const Affinity affinity;
  RankContext context = this->context();
  allow_first(1);
  choose_mpi_calls(context);
  EXPECT_EQ(context.choice.mpi_calls.description(), "nonblocking");
  EXPECT_EQ(
      context.choice.reason,
      ranks() == 1
          ? "A run with a single rank reduces nothing, so the choice has no effect"
          : "Chosen automatically: ranks share cores, and a rank that waits in a nonblocking call yields "
            "its core");
}

TEST_F(Calls, FollowTheChoiceOfTheInput) {
  config.mpi_call = MpiCallKind::blocking;
  RankContext context = this->context();
  choose_mpi_calls(context);
  EXPECT_EQ(describe(context.choice), "all-reduce call: blocking. The input says so\n");
  EXPECT_EQ(context.allreduce->description(), "mpi, host buffers, fp32, blocking, thread");
  config.mpi_call = MpiCallKind::nonblocking;
  choose_mpi_calls(context);
  EXPECT_EQ(context.allreduce->description(), "mpi, host buffers, fp32, thread");
}

TEST_F(Calls, AreNotChosenIfAllReducesAreReplayed) {
  RankContext context = this->context();
  config.backend = Backend::replay;
  choose_mpi_calls(context);
  EXPECT_EQ(describe(context.choice), "");
}

}  // namespace
}  // namespace ddproxy
