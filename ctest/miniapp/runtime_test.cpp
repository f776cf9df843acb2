// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/runtime.hpp"

#include <gtest/gtest.h>

#include "ctest/mpi_main.hpp"
#include "miniapp/check.hpp"
#include "miniapp/memory.hpp"

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

TEST(Runtime, AllRanksOfOneMachineAreNeighbours) {
  EXPECT_EQ(test_runtime->local_ranks(), test_runtime->ranks());
  EXPECT_EQ(test_runtime->local_rank(), test_runtime->rank());
}

// Only the last rank fails; all must hear of it, with its text and code.
TEST(Runtime, AnErrorOnOneRankIsAnErrorOnAll) {
  auto const& runtime = *test_runtime;
  try {
    runtime.together([&] {
      if (runtime.rank() == runtime.ranks() - 1) throw WrongNumbers("the last rank is wrong");
    });
    ADD_FAILURE() << "no error";
  } catch (Agreed const& error) {
    EXPECT_EQ(error.code, exit_wrong_numbers);
    EXPECT_EQ(error.message, "the last rank is wrong");
  }
}

TEST(Runtime, ExceptionsHaveTheExitCodesOfTheDesign) {
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

TEST(Memory, MoreThanThereIsIsRefusedBeforeItIsAllocated) {
  EXPECT_GT(available_memory(), 1e6);
  EXPECT_NO_THROW(require_memory(*test_runtime, 1e6));
  try {
    require_memory(*test_runtime, 1e18);
    ADD_FAILURE() << "no error";
  } catch (Agreed const& error) {
    EXPECT_EQ(error.code, exit_usage);
    EXPECT_NE(error.message.find("not enough memory: a rank needs 931322574.6 GiB"), std::string::npos)
        << error.message;
  }
}

}  // namespace
}  // namespace ddproxy
