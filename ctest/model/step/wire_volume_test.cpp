// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/model/step/wire_volume.hpp"

#include <gtest/gtest.h>

#include <map>

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

/// Checks the bytes that a rank sends with each verb. `expected` has all verbs of the step.
void expect_sent(RankGraphs const& step, std::map<Verb, double> const& expected) {
  const auto volumes = wire_volume(step, 0);
  EXPECT_EQ(volumes.size(), expected.size());
  for (auto const& [verb, bytes] : expected) {
    ASSERT_TRUE(volumes.contains(verb)) << name_of(verb);
    EXPECT_NEAR(volumes.at(verb).bytes_sent, bytes, 1e-9) << name_of(verb);
  }
}

TEST(WireVolume, OfDataParallelAndZeroIsThatOfTheClosedForms) {
  for (const std::size_t n : {2, 4, 8}) {
    for (const int k : {1, 4}) {
      const auto step = [&](Zero zero) {
        return ddp_step(even, {.ranks = n, .micro_batches = k, .zero = zero});
      };
      const double once = psi(even) * share(n);
      expect_sent(step(Zero::none), {{Verb::all_reduce, 2 * once}});
      expect_sent(step(Zero::stage1), {{Verb::reduce_scatter, once}, {Verb::all_gather, once}});
      expect_sent(step(Zero::stage2), {{Verb::reduce_scatter, k * once}, {Verb::all_gather, once}});
    }
  }
}

TEST(WireVolume, OfFullyShardedIsTheClosedFormLessTheUnitsThatStay) {
  for (const std::size_t n : {2, 4, 8}) {
    for (const int k : {1, 4}) {
      // The last unit is kept between forward and backward, and the first unit between micro-batches.
      const double stay = 4.0 * (k * static_cast<double>(even.sizes.back()) +
                                 (k - 1) * static_cast<double>(even.sizes.front()));
      const double once = psi(even) * share(n);
      const FsdpOptions options{.shards = n, .micro_batches = k};
      expect_sent(fsdp_step(even, options),
                  {{Verb::all_gather, 2 * k * once - stay * share(n)}, {Verb::reduce_scatter, k * once}});
      FsdpOptions kept = options;
      kept.reshard = false;
      expect_sent(fsdp_step(even, kept), {{Verb::all_gather, once}, {Verb::reduce_scatter, k * once}});
      kept.regather = true;
      expect_sent(fsdp_step(even, kept), {{Verb::all_gather, k * once}, {Verb::reduce_scatter, k * once}});
    }
  }
}

TEST(WireVolume, OfHybridShardsIsTheSumOverBothGroups) {
  for (const std::size_t s : {2, 4}) {
    for (const std::size_t r : {2, 3}) {
      const double stay = 4.0 * static_cast<double>(even.sizes.back());
      expect_sent(fsdp_step(even, {.shards = s, .replicas = r}),
                  {{Verb::all_gather, (2 * psi(even) - stay) * share(s)},
                   {Verb::reduce_scatter, psi(even) * share(s)},
                   {Verb::all_reduce, 2 * psi(even) / static_cast<double>(s) * share(r)}});
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
