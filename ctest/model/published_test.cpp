// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "published.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/cost/csv.hpp"
#include "model/predict/score.hpp"
#include "model/predict/timeline.hpp"
#include "model/text/csv_table.hpp"

// Compares the model with measurements that others published. docs/model.md has the numbers that this test
// prints.
namespace ddproxy::model {
namespace {

/// Returns a case in which all time is communication, as if T_compute were 0: T = E = T_comm. The noise is 0,
/// because it was not published.
ScoredCase communication(double cap, double measured, Plan const& plan, AllreduceCost const& cost) {
  const double predicted = communication_seconds(plan, cost);
  return {cap, measured, 0, {measured, 0}, {predicted, 0}, predicted};
}

TEST(Published, TwoT4sSpendThePredictedTimeInCommunication) {
  const auto bytes = gradient_bytes(backward_pass(cs336_shape(24, 1024, 16, 4096)));
  const TableCost cost(read_allreduce(published("allreduce-2xt4.csv")));
  const AlphaBeta affine = fit_alpha_beta(cost.table());
  const CsvTable table(published("ddp-medium-2xt4.csv"));
  std::vector<ScoredCase> cases;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "strategy") != "bucketed") continue;
    const double cap = table.number(row, "bucket_mb");
    const std::int64_t cap_bytes = mib(cap);
    const Plan plan = bucketed_plan(bytes, {&cap_bytes, 1});
    // `calls` is the number of calls in 10 steps.
    const double measured = table.number(row, "calls") / 10 * table.number(row, "per_call_s");
    const double error = communication_seconds(plan, cost) / measured - 1;
    EXPECT_LT(std::abs(error), cap < 10 ? 0.08 : 0.03) << cap << " MiB";
    cases.push_back(communication(cap, measured, plan, cost));
    std::printf("2x T4, %4.0f MiB: %.4f s, error %+.1f %%, affine fit %+.1f %%\n", cap, measured, 100 * error,
                100 * (communication_seconds(plan, affine) / measured - 1));
  }
  print_score(score(cases));
}

/// The mean and the largest error of a(x) at every other row of a table, predicted from the remaining rows.
/// Only rows from 4 MiB to 1 GiB count.
struct LeftOut {
  double mean = 0;
  double max = 0;
  int rows = 0;
};

LeftOut leave_every_other_out(std::vector<CostPoint> const& table, std::size_t kept, bool affine) {
  std::vector<CostPoint> known;
  for (std::size_t i = kept; i < table.size(); i += 2) known.push_back(table[i]);
  const AllreduceCost cost = affine ? AllreduceCost(fit_alpha_beta(known)) : AllreduceCost(TableCost(known));
  LeftOut result;
  for (std::size_t i = 1 - kept; i < table.size(); i += 2) {
    if (table[i].bytes < mib(4) || table[i].bytes > mib(1024)) continue;
    const double error = std::abs(cost(table[i].bytes) / table[i].seconds - 1);
    result.mean += error;
    result.max = std::max(result.max, error);
    ++result.rows;
  }
  result.mean /= result.rows;
  return result;
}

TEST(Published, HalfOfTheTableOfEightA100sPredictsTheOtherHalf) {
  const auto table = read_allreduce(published("allreduce-8xa100-1node.csv"));
  for (const std::size_t kept : {0U, 1U}) {
    const LeftOut cubic = leave_every_other_out(table, kept, false);
    const LeftOut affine = leave_every_other_out(table, kept, true);
    EXPECT_GE(cubic.rows, 4);
    EXPECT_LT(cubic.mean, 0.05);
    EXPECT_LT(cubic.max, 0.09);
    EXPECT_LT(cubic.mean, affine.mean);
    std::printf("8x A100, half %zu: cubic %.1f %% mean, %.1f %% max; affine fit %.1f %%, %.1f %%\n", kept,
                100 * cubic.mean, 100 * cubic.max, 100 * affine.mean, 100 * affine.max);
  }
}

}  // namespace
}  // namespace ddproxy::model
