// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/runtime.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "ctest/mpi_main.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/freed_memory.hpp"
#include "miniapp/machine/memory.hpp"
#include "miniapp/machine/thread_report.hpp"

namespace ddproxy {
namespace {

TEST(Runtime, GathersValuesRankByRank) {
  auto const& runtime = *test_runtime;
  const auto all = runtime.gather(std::vector<double>{runtime.rank() + 0.5, -1});
  const auto texts = runtime.gather("rank " + std::to_string(runtime.rank()));
  EXPECT_EQ(texts.size(), runtime.root() ? static_cast<std::size_t>(runtime.ranks()) : 0U);
  if (!runtime.root()) return;
  for (int rank = 0; rank < runtime.ranks(); ++rank) {
    EXPECT_EQ(all.at(2 * static_cast<std::size_t>(rank)), rank + 0.5);
    EXPECT_EQ(texts.at(static_cast<std::size_t>(rank)), "rank " + std::to_string(rank));
  }
}

TEST(Runtime, BroadcastsTheValuesOfRankZero) {
  auto const& runtime = *test_runtime;
  std::vector<double> limits{5e-9, 65536.5};
  std::vector<std::int64_t> counts{-1, std::int64_t{1} << 40};
  const auto expected = std::pair(limits, counts);
  if (!runtime.root()) limits = {0, 0}, counts = {0, 0};
  runtime.broadcast(limits);
  runtime.broadcast(counts);
  EXPECT_EQ(std::pair(limits, counts), expected);
}

TEST(Runtime, AllRanksOfOneMachineAreLocal) {
  EXPECT_EQ(test_runtime->local_ranks(), test_runtime->ranks());
  EXPECT_EQ(test_runtime->local_rank(), test_runtime->rank());
}

TEST(Runtime, ThreadsSpinUnlessAVariableSetsTheWaitPolicy) {
  const ThreadChoice one{.threads = 1}, two{.threads = 2};
  const auto unset = [](char const*) -> char const* { return nullptr; };
  const auto passive = [](std::string_view name) { return name == "OMP_WAIT_POLICY" ? "passive" : nullptr; };
  EXPECT_TRUE(spins(two, unset));
  EXPECT_FALSE(spins(one, unset));
  EXPECT_FALSE(spins(two, passive));
}

// Only the last rank fails. All ranks must get its text and its exit code.
TEST(Runtime, AnErrorOnOneRankIsThrownOnAllRanks) {
  auto const& runtime = *test_runtime;
  try {
    runtime.together([&] {
      if (runtime.rank() == runtime.ranks() - 1) throw WrongNumbers("the last rank is wrong");
    });
    ADD_FAILURE() << "no error";
  } catch (CollectiveError const& error) {
    EXPECT_EQ(error.code, exit_wrong_numbers);
    EXPECT_EQ(error.message, "the last rank is wrong");
  }
}

TEST(Runtime, EachExceptionTypeHasItsExitCode) {
  const auto code_of = [](auto const& error) {
    try {
      throw error;
    } catch (...) {
      return describe_current_exception().code;
    }
  };
  EXPECT_EQ(code_of(std::invalid_argument("x")), 2);
  EXPECT_EQ(code_of(WrongNumbers("x")), 3);
  EXPECT_EQ(code_of(std::runtime_error("x")), 4);
  EXPECT_EQ(code_of(std::bad_alloc()), 4);
  EXPECT_EQ(code_of(Interrupted("x")), 75);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Allocates three blocks of 8 MiB, touches their pages and frees them, ten times. Returns the page faults of
// this thread after the first time.
long page_faults_of_temporaries() {
  constexpr std::size_t bytes = 8 << 20, page = 4096;
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  };
  const auto touch = [] {
    std::unique_ptr<char[]> blocks[3];
    for (auto& block : blocks) {
      block = std::make_unique_for_overwrite<char[]>(bytes);
      for (std::size_t at = 0; at < bytes; at += page) static_cast<char volatile*>(block.get())[at] = 1;
    }
  };
  touch();
  const long before = faults();
  for (int i = 0; i < 9; ++i) touch();
  return faults() - before;
}

// Both the main thread and the communication thread carry out collectives. So freed memory must be used again
// in both, or a collective would take longer in one of them.
TEST(FreedMemory, IsUsedAgainWithoutPageFaultsInEachThread) {
  long of_thread = 0;
  std::thread([&] { of_thread = page_faults_of_temporaries(); }).join();
  EXPECT_LT(of_thread, 100);
  EXPECT_LT(page_faults_of_temporaries(), 100);
}

TEST(FreedMemory, IsNotKeptIfTheUserSetsMallocLimits) {
  const auto keeps = [](std::string_view name, char const* value) {
    return keep_freed_memory([&](char const* asked) { return asked == name ? value : nullptr; });
  };
  for (char const* name :
       {"MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"})
    EXPECT_FALSE(keeps(name, "131072")) << name;
  EXPECT_FALSE(keeps("GLIBC_TUNABLES", "glibc.pthread.rseq=0:glibc.malloc.trim_threshold=131072"));
  EXPECT_TRUE(keeps("GLIBC_TUNABLES", "glibc.pthread.rseq=0"));
  EXPECT_TRUE(keeps("MALLOC_ARENA_MAX", "2"));
}
#endif

TEST(Memory, ControlGroupsLimitTheAvailableMemory) {
  const auto root = std::filesystem::temp_directory_path() / ("groups" + std::to_string(getpid()));
  const auto job = root / "slurm" / "job";
  std::filesystem::create_directories(job);
  const auto write = [](std::filesystem::path const& file, char const* text) { std::ofstream(file) << text; };
  write(root / "self", "1:cpu:/x\n0::/slurm/job\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), std::numeric_limits<double>::infinity());
  write(root / "slurm" / "memory.max", "9000\n");
  write(root / "slurm" / "memory.current", "4000\n");
  write(job / "memory.max", "max\n");
  write(job / "memory.current", "3000\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), 5000);
  write(root / "slurm" / "memory.stat", "anon 1000\ninactive_file 2500\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), 7500);
  EXPECT_EQ(control_group_limit(root, root / "self"), 9000);
  write(job / "memory.max", "3500\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), 500);
  EXPECT_EQ(control_group_limit(root, root / "self"), 3500);
  std::filesystem::remove_all(root);
}

TEST(Memory, ControlGroupsOfVersion1LimitTheAvailableMemory) {
  const auto root = std::filesystem::temp_directory_path() / ("groups1." + std::to_string(getpid()));
  const auto job = root / "memory" / "slurm" / "job";
  std::filesystem::create_directories(job);
  const auto write = [](std::filesystem::path const& file, char const* text) { std::ofstream(file) << text; };
  write(root / "self", "10:cpu:/x\n9:memory:/slurm/job\n0::/\n");
  write(root / "memory" / "memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  write(root / "memory" / "memory.usage_in_bytes", "5000\n");
  write(job / "memory.limit_in_bytes", "2147483648\n");
  write(job / "memory.usage_in_bytes", "147483648\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), 2e9);
  write(job / "memory.stat", "inactive_file 1\ntotal_inactive_file 1000\n");
  EXPECT_EQ(control_group_memory(root, root / "self"), 2e9 + 1000);
  std::filesystem::remove_all(root);
}

TEST(Memory, ARequestAboveTheAvailableMemoryIsRefused) {
  EXPECT_GT(available_memory(), 1e6);
  EXPECT_GE(total_memory(), available_memory());
  EXPECT_NO_THROW(require_memory(*test_runtime, 1e6));
  try {
    require_memory(*test_runtime, 1e18);
    ADD_FAILURE() << "no error";
  } catch (CollectiveError const& error) {
    EXPECT_EQ(error.code, exit_run_time);
    EXPECT_NE(error.message.find("not enough memory: a rank needs 931322574.6 GiB"), std::string::npos)
        << error.message;
  }
}

// The device of the last rank is short of memory. All ranks must learn how much this rank needs and how much
// memory of its device is free.
TEST(DeviceMemory, ShortageOnOneRankIsAnErrorOnAllRanks) {
  auto const& runtime = *test_runtime;
  const double gib = 1073741824.0, need = 30 * gib;
  const bool is_short = runtime.rank() == runtime.ranks() - 1;
  try {
    require_device_memory(runtime, need, (is_short ? 20 : 40 * runtime.ranks_on_device()) * gib);
    ADD_FAILURE() << "no error";
  } catch (CollectiveError const& error) {
    EXPECT_EQ(error.code, exit_run_time);
    EXPECT_NE(error.message.find("not enough device memory: a rank needs 30.0 GiB"), std::string::npos);
    EXPECT_NE(error.message.find("and 20.0 GiB are free"), std::string::npos) << error.message;
  }
}

TEST(DeviceMemory, SufficientMemoryIsNoError) {
  EXPECT_NO_THROW(require_device_memory(*test_runtime, 1e9, 1e10 * test_runtime->ranks_on_device()));
}

TEST(DeviceMemory, OneWarningNamesTheRankThatIsNearlyShort) {
  auto const& runtime = *test_runtime;
  const double gib = 1073741824.0, need = 30 * gib;
  const int last = runtime.ranks() - 1, sharing = runtime.ranks_on_device();
  testing::internal::CaptureStderr();
  require_device_memory(runtime, need, need * sharing + (runtime.rank() == last ? 0.1 : 100) * gib);
  const auto said = testing::internal::GetCapturedStderr();
  const auto expected = "warning: rank " + std::to_string(last) + ": device memory: ";
  EXPECT_EQ(said.starts_with(expected), runtime.root()) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), runtime.root() ? 1 : 0) << said;
}

}  // namespace
}  // namespace ddproxy
