// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/launch.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "miniapp/cores/settings.hpp"

namespace ddproxy {
namespace {

Variables among(std::map<std::string, std::string> const& set) {
  return [&set](char const* name) -> char const* {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
}

void expect_rank(std::map<std::string, std::string> const& set, std::size_t rank, int ranks) {
  const auto found = find_local_rank(among(set));
  EXPECT_EQ(found.rank, rank);
  EXPECT_EQ(found.ranks, ranks);
}

TEST(LocalRank, IsZeroOfOneWithoutALauncher) {
  expect_rank({}, 0, 1);
  EXPECT_FALSE(find_local_rank(among({})).launched);
  EXPECT_TRUE(find_local_rank(among({{"PMI_LOCAL_RANK", "0"}})).launched);
  EXPECT_TRUE(find_local_rank(among({{"SLURM_LOCALID", "0"}})).launched);
}

TEST(LocalRank, IsReadFromTheVariablesOfEachLauncher) {
  expect_rank({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}, 1, 2);
  expect_rank({{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}, {"PMI_RANK", "7"}}, 3, 4);
  expect_rank({{"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}, {"SLURM_NODEID", "0"}}, 1, 2);
}

TEST(LocalRank, CountsTheRanksOfANodeFromTheTaskListOfSlurm) {
  for (auto const& [node, ranks] : std::map<std::string, int>{{"0", 4}, {"1", 4}, {"2", 1}, {"3", 8}})
    expect_rank({{"SLURM_LOCALID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2),1,8"}, {"SLURM_NODEID", node}},
                0, ranks);
}

TEST(LocalRank, IsReadFromMpirunEvenInAJobOfSlurm) {
  expect_rank({{"SLURM_LOCALID", "0"},
               {"SLURM_STEP_TASKS_PER_NODE", "1"},
               {"OMPI_COMM_WORLD_LOCAL_RANK", "5"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}},
              5, 8);
  expect_rank({{"SLURM_LOCALID", "0"}, {"SLURM_NTASKS_PER_NODE", "8"}}, 0, 1);  // no mpirun, no srun
}

Settings settings_of(int threads, int own_cores, std::map<std::string, std::string> const& set,
                     std::string const& core_type = "") {
  return choose_settings({threads, own_cores, true, false, core_type}, among(set));
}

TEST(Settings, IdleThreadsSleepIfNoCoreIsLeft) {
  EXPECT_EQ(settings_of(2, 2, {}), (Settings{{"OMP_NUM_THREADS", "2"}, {"OMP_WAIT_POLICY", "passive"}}));
  EXPECT_EQ(settings_of(3, 4, {}), (Settings{{"OMP_NUM_THREADS", "3"}}));
  EXPECT_EQ(settings_of(1, 1, {}), (Settings{{"OMP_NUM_THREADS", "1"}})) << "one thread waits for nobody";
}

TEST(Settings, TheThreadsOfTheOnlyRankMaySpin) {
  EXPECT_EQ(choose_settings({2, 2, false, true}, among({})), (Settings{{"OMP_NUM_THREADS", "2"}}));
}

TEST(Settings, CallsOfOpenMpiYieldIfTheyShareACoreWithCompute) {
  const Settings yields{{"OMPI_MCA_mpi_yield_when_idle", "1"}, {"OMP_NUM_THREADS", "1"}};
  EXPECT_EQ(choose_settings({1, 1, true, true}, among({})), yields);
  EXPECT_EQ(choose_settings({3, 4, true, true}, among({})), (Settings{{"OMP_NUM_THREADS", "3"}}));
  EXPECT_EQ(choose_settings({1, 1, true, true}, among({{"OMPI_MCA_mpi_yield_when_idle", "0"}})),
            (Settings{{"OMP_NUM_THREADS", "1"}}));
}

TEST(Settings, VariablesThatTheUserSetAreNotChanged) {
  EXPECT_EQ(settings_of(2, 1, {{"OMP_NUM_THREADS", "2"}}), (Settings{{"OMP_WAIT_POLICY", "passive"}}));
  for (std::string name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"})
    EXPECT_EQ(settings_of(2, 1, {{"OMP_NUM_THREADS", "2"}, {name, "1"}}), Settings{}) << name;
  EXPECT_EQ(settings_of(1, 1, {{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_CORETYPE", "Zen"}}, "HASWELL"),
            Settings{});
}

TEST(Settings, AFasterCoreTypeIsSet) {
  const auto settings = settings_of(1, 1, {{"OMP_NUM_THREADS", "1"}}, "HASWELL");
  EXPECT_EQ(settings, (Settings{{"OPENBLAS_CORETYPE", "HASWELL"}}));
  EXPECT_EQ(describe(settings), "OPENBLAS_CORETYPE=HASWELL");
}

}  // namespace
}  // namespace ddproxy
