// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/run/run_message.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace ddproxy::results {
namespace {

Run sample_run() {
  Run run{.path = "",
          .complete = true,
          .created = "2026-03-01T00:00:00Z",
          .run_id = "00ff",
          .resumed_from = "ff00",
          .rounds_before = 3,
          .revision = "abc",
          .machine = "host",
          .label = "offer",
          .replay = true,
          .valid = "true",
          .tokens = 8192,
          .identity = {{"model", "tiny"}, {"sweep", ""}},
          .conditions = {{"clock", "", {2.5e9, NAN}}, {"state", "", {}, 5e-8}, {"mpi", "x"}},
          .unverified = {"flat"},
          .is_twin = true,
          .session = "gate",
          .round = -7,
          .cases = {}};
  run.cases = {{"flat", "flat", {0.1, NAN, 0.3}, 0.2, true}, {"other", "bucketed", {}, NAN, false}};
  return run;
}

// Two runs are equal if pack() returns the same bytes for both.
TEST(RunMessage, UnpackReturnsThePackedRun) {
  const auto run = sample_run();
  const auto again = unpack(pack(run));
  EXPECT_EQ(pack(again), pack(run));
  EXPECT_TRUE(again.complete && again.replay && again.is_twin);
  EXPECT_EQ(again.identity, run.identity);
  EXPECT_EQ(again.round, -7);
  EXPECT_EQ(again.run_id + again.resumed_from, "00ffff00");
  EXPECT_EQ(again.rounds_before, 3);
  EXPECT_EQ(again.conditions[0].hertz[0], 2.5e9);
  EXPECT_EQ(again.unverified, run.unverified);
  EXPECT_EQ(again.cases[0].samples[2], 0.3);
  EXPECT_FALSE(again.cases[1].ours);
}

TEST(RunMessage, RefusesTruncatedBytesAndExtraBytes) {
  const auto bytes = pack(sample_run());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(unpack(std::string_view(bytes).substr(0, length)), std::invalid_argument) << length;
  EXPECT_THROW(unpack(bytes + '\0'), std::invalid_argument);
}

TEST(RunMessage, ChangedBytesAreUnpackedOrRefused) {
  const auto bytes = pack(sample_run());
  std::mt19937 engine(1);
  std::size_t accepted = 0;
  for (int k = 0; k < 20000; ++k) {
    auto wrong = bytes;
    for (unsigned n = 0; n <= engine() % 4; ++n)
      wrong[engine() % wrong.size()] = static_cast<char>(engine() % 2 ? 0xFF : engine());
    try {
      unpack(wrong);
      ++accepted;
    } catch (std::invalid_argument const&) {
    }
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, 20000u);
}

}  // namespace
}  // namespace ddproxy::results
