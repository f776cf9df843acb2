// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "ctest/miniapp/passing_lane.hpp"
#include "miniapp/measure/calibration/collective_row.hpp"
#include "miniapp/measure/calibration/verify_collective.hpp"

// Tests `ddproxy collectives --op send` on pairs of ranks: wrong elements are found, and each row is
// measured.
namespace ddproxy {
namespace {

using model::Verb;
constexpr std::size_t elements = 12000;

TEST(InPlace, ASendHasPairsOfNeighboursAndLeavesOutAnOddLastRank) {
  const Slice full{8, 4}, none{8, 0};
  EXPECT_EQ(in_place(Verb::send, full, {2, 5}), (CollectiveCall{Verb::send, full, none, 3}));
  EXPECT_EQ(in_place(Verb::send, full, {3, 5}), (CollectiveCall{Verb::receive, none, full, 2}));
  EXPECT_EQ(in_place(Verb::receive, full, {2, 5}), (CollectiveCall{Verb::receive, none, full, 3}));
  EXPECT_EQ(in_place(Verb::receive, full, {3, 5}), (CollectiveCall{Verb::send, full, none, 2}));
  EXPECT_TRUE(takes_part(in_place(Verb::send, full, {3, 5})));
  EXPECT_FALSE(takes_part(in_place(Verb::send, full, {4, 5})));
}

class Sends : public testing::Test {
 protected:
  Sends() : config(tiny_config()) { config.piece_mib = 0.001; }
  static GroupPlace place() { return {test_runtime->rank(), test_runtime->ranks()}; }
  static bool is_lower() { return place().rank % 2 == 0; }
  static std::int64_t wrong(RankContext& context) {
    return verify_collective(context, in_place(Verb::send, {0, elements}, place())).wrong;
  }
  RankContext faulty_context(FaultyLane::Change change) {
    RankContext context = context_of(config);
    context.allreduce = std::make_unique<FaultyLane>(std::move(context.allreduce), std::move(change));
    return context;
  }
  static void expect_right(RankContext& context) {
    for (auto const& row : measure_collectives(context, {Verb::send}, {4800, 48000})) {
      EXPECT_EQ(row.verb, Verb::send);
      EXPECT_EQ(row.wrong, 0);
      EXPECT_GE(row.seconds.size(), 4U);
      EXPECT_DOUBLE_EQ(bus_bandwidth(row, place().ranks), algorithm_bandwidth(row));
    }
    EXPECT_EQ(measure_pieces(context, 48000, 19200, 2, Verb::send).wrong, 0);
  }
  Config config;
};

TEST_F(Sends, AreMeasuredInEachWireFormat) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
    config.wire = wire;
    RankContext context = context_of(config);
    expect_right(context);
  }
}

TEST_F(Sends, AreVerifiedOnBothSides) {
  RankContext context = context_of(config);
  EXPECT_EQ(wrong(context), 0);
}

TEST_F(Sends, AlternateInASampleAndGoOneWayInPieces) {
  const RankContext context = context_of(config);
  const Verb first = is_lower() ? Verb::send : Verb::receive,
             second = is_lower() ? Verb::receive : Verb::send;
  const auto row = row_of_sample(context, {4800, {}, 0, {}, Verb::send}, 3);
  ASSERT_EQ(row.size(), 3U);
  EXPECT_EQ(row[0].verb, first);
  EXPECT_EQ(row[1].verb, second);
  EXPECT_EQ(row[2].verb, first);
  EXPECT_EQ(full_slice(row[1]).offset, full_slice(row[0]).end());
  for (auto const& piece : row_of_pieces(context, Verb::send, 48000, 19200)) EXPECT_EQ(piece.verb, first);
}

TEST_F(Sends, SeeNumbersFromAnotherPlace) {
  RankContext context = faulty_context([](CollectiveCall call) {
    if (call.verb == Verb::send) ++call.read.offset;
    return std::optional(call);
  });
  EXPECT_GT(wrong(context), 0);
}

// The receivers send their zeros, and these replace the numbers of the senders.
TEST_F(Sends, SeeATransferInTheWrongDirection) {
  RankContext context = faulty_context([](CollectiveCall call) {
    const Verb other = call.verb == Verb::send ? Verb::receive : Verb::send;
    return std::optional(CollectiveCall{other, call.assigned, call.read, call.root_or_peer});
  });
  EXPECT_EQ(wrong(context), static_cast<std::int64_t>(elements) * test_runtime->ranks());
}

// The lower rank of each pair sends, and nothing comes back.
TEST_F(Sends, AreVerifiedInBothDirections) {
  RankContext context = faulty_context([](CollectiveCall call) {
    const bool comes_back = call.verb == (is_lower() ? Verb::receive : Verb::send);
    return comes_back ? std::nullopt : std::optional(call);
  });
  EXPECT_EQ(wrong(context), 0);
  EXPECT_GT(CollectiveRounds(context, {4800}, {Verb::send}).times().front().wrong, 0);
}

// The lane has the pairs of ranks 0 and 3 and of ranks 1 and 2. So two messages come from a wrong rank.
TEST_F(Sends, SeeAnotherSender) {
  if (test_runtime->ranks() != 4) GTEST_SKIP() << "needs four ranks";
  RankContext context = faulty_context([](CollectiveCall call) {
    call.root_or_peer = 3 - place().rank;
    return std::optional(call);
  });
  EXPECT_EQ(in_place(Verb::send, {0, elements}, place()).root_or_peer,
            is_lower() ? place().rank + 1 : place().rank - 1);
  EXPECT_GT(wrong(context), 0);
}

// Ranks 0 and 1 form a pair. Rank 2 is the last one of three ranks, and rank 3 is in another group.
TEST_F(Sends, LeaveOutTheLastOfThreeRanks) {
  if (test_runtime->ranks() != 4) GTEST_SKIP() << "needs four ranks";
  const int rank = test_runtime->rank();
  RankContext context = context_of(config);
  context.group = rank < 3 ? GroupPlace{rank, 3, 0} : GroupPlace{0, 1, 1};
  expect_right(context);
}

}  // namespace
}  // namespace ddproxy
