// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/verification_pattern.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {
namespace {

TEST(VerificationPattern, HasTheIntegersFrom1To8) {
  std::set<float> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(verification_pattern(i), std::round(verification_pattern(i)));
    seen.insert(verification_pattern(i));
  }
  EXPECT_EQ(seen, (std::set<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// If the elements are shifted by a power of two, more than a tenth of them must get another number. Then
// buckets that were swapped or shifted are found.
TEST(VerificationPattern, DiffersWhenShifted) {
  for (std::uint64_t shift = 1; shift < (1U << 24); shift *= 2) {
    int same = 0;
    for (std::uint64_t i = 0; i < 1000; ++i)
      same += verification_pattern(i) == verification_pattern(i + shift);
    EXPECT_LT(same, 900) << shift;
  }
}

TEST(VerificationPattern, PoisonAndSingleErrorsAreFound) {
  const kernels::Floats arena("arena", 1000);
  poison(arena);
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 1).count, 1000);
  write_verification_pattern(arena, {0, 1000}, 0);
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 1).count, 0);
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 2).count, 1000);  // one rank is missing
  arena(437) += 1;
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 1).count, 1);
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 1).first, 437);
}

TEST(VerificationPattern, DiffersInMostElementsWithAnotherShift) {
  const kernels::Floats arena("arena", 1000);
  write_verification_pattern(arena, {0, 1000}, 0, 1, 1'000'003);
  EXPECT_EQ(find_wrong(arena, {0, 1000}, 1, 1, 1'000'003).count, 0);
  EXPECT_GT(find_wrong(arena, {0, 1000}, 1).count, 800);
}

/// Returns the pattern, averaged over `ranks` ranks in `groups` groups, and added in bf16 as on the wire.
/// Rank `missing` does not add its numbers; -1 means that no rank is missing.
kernels::Floats averaged_in_bf16(int ranks, int groups, int missing = -1) {
  const kernels::Floats sum("sum", 1000), mine("mine", 1000);
  for (int rank = 0; rank < ranks; ++rank) {
    write_verification_pattern(mine, {0, 1000}, rank, groups);
    for (int i = 0; i < 1000 && rank != missing; ++i) sum(i) = from_bf16(to_bf16(sum(i) + mine(i)));
  }
  for (int i = 0; i < 1000; ++i) sum(i) *= 1.0F / static_cast<float>(ranks);
  return sum;
}

TEST(VerificationPattern, GroupsMakeBf16SumsExactForAnyNumberOfRanks) {
  for (int ranks : {1, 2, 4, 5, 8, 64, 1000}) {
    const int groups = verification_groups(WireFormat::bf16, ranks);
    EXPECT_EQ(find_wrong(averaged_in_bf16(ranks, groups), {0, 1000}, ranks, groups).count, 0) << ranks;
  }
  EXPECT_GT(find_wrong(averaged_in_bf16(64, 1), {0, 1000}, 64, 1).count, 0) << "without groups they are not";
}

TEST(VerificationPattern, AMissingRankIsFoundWithGroups) {
  for (int missing = 0; missing < 8; ++missing) {
    const int groups = verification_groups(WireFormat::bf16, 8);
    EXPECT_EQ(find_wrong(averaged_in_bf16(8, groups, missing), {0, 1000}, 8, groups).count, 500) << missing;
  }
}

TEST(VerificationPattern, ABackwardPassWritesEachGradientInTheOperationThatCompletesIt) {
  model::BackwardPass pass;
  pass.operations.resize(3);
  pass.gradients.push_back({"a", "l", 2, 1});
  pass.gradients.push_back({"b", "l", 3, 1});
  pass.gradients.push_back({"c", "l", 4, 2});
  const kernels::Floats arena("arena", 9);
  poison(arena);
  VerificationLane backward(pass, arena, 0, 0);
  backward.run(0);
  EXPECT_EQ(find_wrong(arena, {0, 9}, 1).count, 9);
  backward.run(1);
  EXPECT_EQ(find_wrong(arena, {0, 5}, 1).count, 0);
  EXPECT_EQ(find_wrong(arena, {5, 4}, 1).count, 4);
  backward.run(2);
  EXPECT_EQ(find_wrong(arena, {0, 9}, 1).count, 0);
}

}  // namespace
}  // namespace ddproxy
