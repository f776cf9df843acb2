// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/placement.hpp"

#include <gtest/gtest.h>

namespace ddproxy {
namespace {

using Cores = std::vector<int>;

TEST(DivideCores, OneRankGetsAllCoresThatItMayUse) {
  EXPECT_EQ(divide_cores({{{0, 1, 2, 3}}}), (Cores{4}));
}

TEST(DivideCores, BoundRanksKeepTheirOwnCores) {
  EXPECT_EQ(divide_cores({{{0, 1}}, {{2, 3}}}), (Cores{2, 2}));
  EXPECT_EQ(divide_cores({{{0}}, {{1, 2, 3}}}), (Cores{1, 3}));
}

TEST(DivideCores, UnboundRanksGetEqualNumbersOfCores) {
  const Cores all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(divide_cores({{all}, {all}}), (Cores{4, 4}));
  EXPECT_EQ(divide_cores({{all}, {all}, {all}}), (Cores{2, 2, 2})) << "two of eight cores stay free";
}

TEST(DivideCores, RanksBoundToASocketShareThatSocket) {
  const Cores first{0, 1, 2, 3}, second{4, 5, 6, 7};
  EXPECT_EQ(divide_cores({{first}, {first}, {second}}), (Cores{2, 2, 4}));
}

TEST(DivideCores, RanksWithFewerAllowedCoresTakeTheirCoresFirst) {
  EXPECT_EQ(divide_cores({{{0, 1}}, {{0}}}), (Cores{1, 1}));
  EXPECT_EQ(divide_cores({{{0, 1, 2}}, {{0}}, {{1}}}), (Cores{1, 1, 1}));
}

TEST(DivideCores, NoRankGetsACoreIfThereAreMoreRanksThanCores) {
  const Cores two{0, 1};
  EXPECT_EQ(divide_cores({{two}, {two}, {two}}), (Cores{0, 0, 0})) << "equal ranks get equally many";
  EXPECT_EQ(divide_cores({{{0}}, {{0}}}), (Cores{0, 0}));
}

TEST(DivideCores, ARankGetsNoMoreCoresThanItWants) {
  const Cores four{0, 1, 2, 3};
  EXPECT_EQ(divide_cores({{four, 3}, {four, 1}}), (Cores{3, 1}));
  EXPECT_EQ(divide_cores({{four, 3}, {four, 3}}), (Cores{2, 2}));
}

TEST(DivideCores, AllRanksTogetherGetNoMoreThanTheQuota) {
  const Cores all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(divide_cores({{all}}, 2), (Cores{2}));
  EXPECT_EQ(divide_cores({{all}, {all}}, 5), (Cores{2, 2}));
  EXPECT_EQ(divide_cores({{all}, {all}}, 1), (Cores{0, 0}));
  EXPECT_EQ(divide_cores({{all, 3}, {all, 1}}, 3), (Cores{2, 1}));
  EXPECT_EQ(divide_cores({{all}}, 9), (Cores{8}));
}

TEST(OwnBlock, UnboundRanksGetNeighbouringCores) {
  const Cores four{0, 1, 2, 3}, siblings{0, 2, 1, 3};  // 0 and 2 are threads of one physical core
  EXPECT_EQ(own_block({{four}, {four}}, 0, four), (Cores{0, 1}));
  EXPECT_EQ(own_block({{four}, {four}}, 1, four), (Cores{2, 3}));
  EXPECT_EQ(own_block({{four}, {four}}, 0, siblings), (Cores{0, 2}));
  EXPECT_EQ(own_block({{four}, {four}, {four}}, 2, four), (Cores{2})) << "one core stays free";
}

TEST(OwnBlock, RanksBoundToASocketDivideThatSocket) {
  const Cores first{0, 1}, second{2, 3};
  EXPECT_EQ(own_block({{first}, {second}, {second}}, 2, second), (Cores{3}));
  EXPECT_EQ(own_block({{first}, {second}, {second}}, 0, first), Cores{}) << "it shares with nobody";
}

TEST(OwnBlock, NoRankIsRestrictedIfTheDivisionIsNotClear) {
  const Cores two{0, 1};
  EXPECT_EQ(own_block({{two}, {two}, {two}}, 0, two), Cores{}) << "more ranks than cores";
  EXPECT_EQ(own_block({{two, 2}, {two}}, 1, two), Cores{}) << "rank 0 wants both";
  EXPECT_EQ(own_block({{two}, {{1, 2}}}, 0, two), Cores{}) << "the ranks may use different cores";
  EXPECT_EQ(own_block({{two, 1}, {two, 1}}, 1, two), (Cores{1}));
}

TEST(CoreShare, ACoreIsSharedAmongTheRanksThatMayUseIt) {
  const Cores two{0, 1};
  EXPECT_DOUBLE_EQ(core_share({{two}}, 0), 2);
  EXPECT_DOUBLE_EQ(core_share({{two}, {two}, {two}}, 2), 2.0 / 3);
  EXPECT_DOUBLE_EQ(core_share({{two}, {{1, 2}}}, 1), 1.5);
  EXPECT_DOUBLE_EQ(core_share({{two}, {{2, 3}}}, 1, 3), 1.5) << "a quota of 3 cores for 4";
  EXPECT_DOUBLE_EQ(core_share({{two}, {{2, 3}}}, 1, 5), 2);
  EXPECT_DOUBLE_EQ(core_share({{two, 1}, {{2}}}, 0), 2) << "a wish for threads does not count";
}

TEST(ThreadsFor, OneCoreIsLeftForCommunicationIfThereAreAtLeastThree) {
  EXPECT_EQ(threads_for(0), 1);
  EXPECT_EQ(threads_for(1), 1);
  EXPECT_EQ(threads_for(2), 2);
  EXPECT_EQ(threads_for(3), 2);
  EXPECT_EQ(threads_for(64), 63);
  EXPECT_TRUE(leaves_no_core(2, 2));
  EXPECT_FALSE(leaves_no_core(2, 3));
}

TEST(EstimateOwnCores, AnUnboundRankSharesCoresAndABoundRankDoesNot) {
  EXPECT_EQ(estimate_own_cores(8, 8, 1), 8) << "started directly";
  EXPECT_EQ(estimate_own_cores(8, 8, 2), 4) << "unbound";
  EXPECT_EQ(estimate_own_cores(1, 2, 2), 1) << "bound to a core";
  EXPECT_EQ(estimate_own_cores(8, 16, 4), 4) << "bound to one of two sockets";
  EXPECT_EQ(estimate_own_cores(8, 16, 3), 4) << "two of three on this socket, perhaps";
  EXPECT_EQ(estimate_own_cores(2, 2, 4), 0) << "more ranks than cores";
  EXPECT_EQ(estimate_own_cores(4, 1, 1), 4) << "a launcher that is bound itself";
  EXPECT_EQ(estimate_own_cores(64, 64, 1, 2), 2) << "a quota of two cores";
  EXPECT_EQ(estimate_own_cores(64, 64, 2, 5), 2);
}

}  // namespace
}  // namespace ddproxy
