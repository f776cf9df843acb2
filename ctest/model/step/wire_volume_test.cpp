// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/model/step/wire_volume.hpp"

#include <gtest/gtest.h>

#include "steps.hpp"

// Compares the bytes that one rank sends with the closed forms of ZeRO (Rajbhandari et al., "ZeRO: Memory
// Optimizations Toward Training Trillion Parameter Models", SC 2020, section 7), extended to k accumulated
// micro-batches. psi is the bytes of all parameters. Each form is multiplied by (n-1)/n.

namespace ddproxy::model {
namespace {

const Layers even{{8, 24, 16, 32, 40, 16}};  // divisible by the 2, 4 and 8 ranks below
const Layers odd{{5, 23, 14, 31, 37, 11}};

double psi(Layers const& model) {
  return 4.0 * static_cast<double>(model.elements());
}

double sent(RankGraphs const& step) {
  double bytes = 0;
  for (auto const& [verb, volume] : wire_volume(step, 0)) bytes += volume.bytes_sent;
  return bytes;
}

double share(std::size_t ranks) {
  return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

TEST(WireVolume, OfDataParallelAndZeroIsThatOfTheClosedForms) {
  for (const std::size_t n : {2, 4, 8}) {
    for (const int k : {1, 4}) {
      const auto volume = [&](Zero zero) {
        return sent(ddp_step(even, {.ranks = n, .micro_batches = k, .zero = zero})) / (psi(even) * share(n));
      };
      EXPECT_NEAR(volume(Zero::none), 2, 1e-12);
      EXPECT_NEAR(volume(Zero::stage1), 2, 1e-12);
      EXPECT_NEAR(volume(Zero::stage2), k + 1, 1e-12);
    }
  }
}

TEST(WireVolume, OfFullyShardedIsTheClosedFormLessTheUnitsThatStay) {
  for (const std::size_t n : {2, 4, 8}) {
    for (const int k : {1, 4}) {
      // The last unit is kept between forward and backward, and the first unit between micro-batches.
      const double stay = 4.0 * (k * static_cast<double>(even.sizes.back()) +
                                 (k - 1) * static_cast<double>(even.sizes.front()));
      const FsdpOptions options{.shards = n, .micro_batches = k};
      EXPECT_NEAR(sent(fsdp_step(even, options)), (3 * k * psi(even) - stay) * share(n), 1e-9);
      FsdpOptions kept = options;
      kept.reshard = false;
      EXPECT_NEAR(sent(fsdp_step(even, kept)), (k + 1) * psi(even) * share(n), 1e-9);
      kept.regather = true;
      EXPECT_NEAR(sent(fsdp_step(even, kept)), 2 * k * psi(even) * share(n), 1e-9);
    }
  }
}

TEST(WireVolume, OfHybridShardsIsTheSumOverBothGroups) {
  for (const std::size_t s : {2, 4}) {
    for (const std::size_t r : {2, 3}) {
      const double stay = 4.0 * static_cast<double>(even.sizes.back());
      const double shards = (3 * psi(even) - stay) * share(s);
      const double replicas = 2 * psi(even) / static_cast<double>(s) * share(r);
      EXPECT_NEAR(sent(fsdp_step(even, {.shards = s, .replicas = r})), shards + replicas, 1e-9);
    }
  }
}

TEST(WireVolume, CountsPadding) {
  const auto volumes = wire_volume(fsdp_step(odd, {.shards = 4}), 0);
  const std::int64_t all = 4 * static_cast<std::int64_t>(odd.elements());
  Volume const& reduced = volumes.at(Verb::reduce_scatter);
  EXPECT_EQ(reduced.bytes - reduced.padding, all);
  EXPECT_EQ(reduced.padding, 4 * (3 + 1 + 2 + 1 + 3 + 1));
  EXPECT_EQ(reduced.calls, odd.sizes.size());
}

TEST(WireVolume, OfAPipelineIsAnActivationALinkAndMicroBatch) {
  const auto step = pipeline_step(4, 8);
  EXPECT_EQ(wire_volume(step, 0).at(Verb::send).calls, 8U);
  EXPECT_EQ(wire_volume(step, 1).at(Verb::send).calls, 16U);
  EXPECT_EQ(wire_volume(step, 3).at(Verb::receive).calls, 8U);
}

TEST(WireVolume, ShrinksWithTheElementsOnTheWire) {
  auto step = ddp_step(even, {});
  const double full = sent(step);
  for (Task& task : step.classes[0].graph.tasks) {
    if (auto* collective = std::get_if<Collective>(&task.work)) collective->wire = DataType::bf16;
  }
  EXPECT_DOUBLE_EQ(sent(step), full / 2);
}

}  // namespace
}  // namespace ddproxy::model
