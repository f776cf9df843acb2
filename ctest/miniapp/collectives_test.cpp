// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "ctest/miniapp/passing_lane.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "miniapp/measure/calibration/verify_collective.hpp"
#include "model/cost/collective_tables.hpp"

// Tests `ddproxy collectives`: wrong elements are found, and sizes, bandwidths and tables are right.
namespace ddproxy {
namespace {

using model::Verb;

/// Returns the verbs that can be measured on the ranks of this test. A send needs two ranks.
std::vector<Verb> verbs() {
  std::vector<Verb> all{Verb::all_reduce, Verb::reduce_scatter, Verb::all_gather, Verb::broadcast};
  if (test_runtime->ranks() > 1) all.push_back(Verb::send);
  return all;
}

TEST(BusFactor, MatchesNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Verb::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Verb::reduce_scatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Verb::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Verb::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Verb::send, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Verb::all_reduce, 1), 0);
  const SizeTimes gather{8'000'000, {0.001, 0.002, 0.004}, 0, {}, Verb::all_gather};
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(gather), 4e9);
  EXPECT_DOUBLE_EQ(bus_bandwidth(gather, 4), 3e9);
}

TEST(RoundedSizes, AreMultiplesWithinTheGradients) {
  EXPECT_EQ(rounded_sizes({1, 12, 13, 100}, 12, 1000), (std::vector<std::int64_t>{12, 24, 108}));
  EXPECT_EQ(rounded_sizes({100, 12}, 12, 100), (std::vector<std::int64_t>{12, 96}));
}

TEST(CollectivesTable, IsReadAsCostsByVerb) {
  const std::vector<SizeTimes> rows{{1000, {0.5}, 0, {}, Verb::broadcast},
                                    {2000, {1, 4, 2}, 0, {}, Verb::broadcast}};
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("ddproxy_collectives_table_" + std::to_string(getpid()) + ".csv");
  std::ofstream(path) << collectives_csv(rows, {3, 1, 2}, true);
  const auto tables = model::read_collectives(path, 5);  // the column `ranks` decides, not the 5
  std::filesystem::remove(path);
  ASSERT_TRUE(tables.find(Verb::broadcast, {3}));
  EXPECT_NEAR((*tables.find(Verb::broadcast, {3}))(2000), 2, 1e-9);
  EXPECT_TRUE(tables.find(Verb::broadcast, {3, 2}));
  EXPECT_FALSE(tables.find(Verb::broadcast, {3, 1}));
  const std::string text = collectives_table(rows, {3}, true);
  EXPECT_NE(text.find("3 ranks, replay"), std::string::npos);
  EXPECT_NE(text.find("broadcast                2000    2000000.0    1000000.0    4000000.0"),
            std::string::npos)
      << text;
}

class VerifyCollective : public testing::Test {
 protected:
  VerifyCollective() : config(tiny_config()) { config.piece_mib = 0.001; }
  RankContext context() { return context_of(config); }
  static CollectiveCall call(Verb verb) { return in_place(verb, {0, 12000}, place()); }
  static GroupPlace place() { return {test_runtime->rank(), test_runtime->ranks()}; }

  RankContext faulty_context(FaultyLane::Change change) {
    RankContext context = this->context();
    context.allreduce = std::make_unique<FaultyLane>(std::move(context.allreduce), std::move(change));
    return context;
  }
  std::int64_t wrong_with(Verb verb, FaultyLane::Change change) {
    RankContext context = faulty_context(std::move(change));
    return verify_collective(context, call(verb)).wrong;
  }
  /// Returns the number of wrong elements that CollectiveRounds finds in its timed reduce-scatter. This
  /// reduce-scatter is not in place: its result lies behind the messages.
  static std::int64_t wrong_if_timed(RankContext& context) {
    return CollectiveRounds(context, {4800}, {Verb::reduce_scatter}).times().front().wrong;
  }
  Config config;
};

TEST_F(VerifyCollective, FindsNothingWrongWithEachVerb) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
    config.wire = wire;
    RankContext context = this->context();
    for (const auto verb : verbs()) {
      const auto verified = verify_collective(context, call(verb));
      EXPECT_EQ(verified.wrong, 0) << static_cast<int>(verb);
      EXPECT_GT(verified.seconds, 0);
    }
  }
}

TEST_F(VerifyCollective, SeesASumInsteadOfAnAverage) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs two ranks";
  for (const auto verb : {Verb::all_reduce, Verb::reduce_scatter})
    EXPECT_EQ(wrong_with(verb,
                         [](CollectiveCall call) {
                           call.reduction = model::Reduction::sum;
                           return call;
                         }),
              verb == Verb::all_reduce ? 12000 * test_runtime->ranks() : 12000);
}

TEST_F(VerifyCollective, SeesACollectiveThatDoesNothing) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs two ranks";
  for (const auto verb : verbs())
    EXPECT_GT(wrong_with(verb, [](CollectiveCall) { return std::nullopt; }), 0) << static_cast<int>(verb);
}

TEST_F(VerifyCollective, SeesAWrongRoot) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs two ranks";
  EXPECT_EQ(
      wrong_with(
          Verb::broadcast,
          [](CollectiveCall call) {
            const Slice full = full_slice(call);
            const bool root = place().rank == 1;
            return CollectiveCall{Verb::broadcast, {0, root ? full.count : 0}, {0, root ? 0 : full.count}, 1};
          }),
      12000 * test_runtime->ranks());
}

TEST_F(VerifyCollective, MeasuresEachVerbAtEachSize) {
  RankContext context = this->context();
  const auto rows = measure_collectives(context, {Verb::broadcast, Verb::all_gather}, {4800, 48000});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].verb, Verb::broadcast);
  EXPECT_EQ(rows[1].bytes, 48000);
  EXPECT_EQ(rows[2].verb, Verb::all_gather);
  for (auto const& row : rows) {
    EXPECT_EQ(row.wrong, 0);
    EXPECT_GE(row.seconds.size(), 4U);
    for (const double seconds : row.seconds) EXPECT_GT(seconds, 0);
  }
}

TEST_F(VerifyCollective, SeesAMisplacedOutOfPlaceResultOfOneRank) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
    for (int faulty = 0; faulty < test_runtime->ranks(); ++faulty) {
      config.wire = wire;
      RankContext context = faulty_context([faulty](CollectiveCall call) {
        const bool is_out_of_place = call.assigned.offset >= call.read.end();
        if (is_out_of_place && place().rank == faulty) --call.assigned.offset;
        return std::optional(call);
      });
      EXPECT_EQ(verify_collective(context, call(Verb::reduce_scatter)).wrong, 0) << "in place";
      EXPECT_GT(wrong_if_timed(context), 0) << faulty;
    }
}

TEST_F(VerifyCollective, SeesAnOutOfPlaceResultLeftByAnEarlierCall) {
  bool works = true;
  RankContext context =
      faulty_context([&works](CollectiveCall call) { return works ? std::optional(call) : std::nullopt; });
  EXPECT_EQ(wrong_if_timed(context), 0);
  works = false;
  EXPECT_GT(wrong_if_timed(context), 0);
}

TEST_F(VerifyCollective, FindsNothingWrongWithPiecesOfEachVerb) {
  RankContext context = this->context();
  for (const auto verb : verbs()) {
    const auto pieces = measure_pieces(context, 48000, 19200, 2, verb);
    EXPECT_EQ(pieces.wrong, 0) << static_cast<int>(verb);
    EXPECT_EQ(pieces.bytes, 19200);
    EXPECT_EQ(pieces.seconds.size(), 2U);
  }
}

TEST_F(VerifyCollective, SeesAWrongPiece) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs two ranks";
  RankContext context = faulty_context([](CollectiveCall) { return std::nullopt; });
  for (const auto verb : verbs())
    EXPECT_GT(measure_pieces(context, 48000, 19200, 2, verb).wrong, 0) << static_cast<int>(verb);
}

// The pieces have 4800, 4800 and 2400 elements. The lane leaves out the piece with 2400 elements.
TEST_F(VerifyCollective, SeesAWrongLastPiece) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs two ranks";
  RankContext context = faulty_context([](CollectiveCall call) {
    return full_slice(call).count == 2400 ? std::nullopt : std::optional(call);
  });
  for (const auto verb : verbs())
    EXPECT_GT(measure_pieces(context, 48000, 19200, 2, verb).wrong, 0) << static_cast<int>(verb);
}

}  // namespace
}  // namespace ddproxy
