// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/model/step/wire_volume.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "model/step/check/check.hpp"
#include "steps.hpp"
#include "violations.hpp"

// Compares the bytes that one rank sends with the closed forms of ZeRO (Rajbhandari et al., "ZeRO: Memory
// Optimizations Toward Training Trillion Parameter Models", SC 2020, section 7), extended to k accumulated
// micro-batches. psi is the bytes of all parameters. Each form is multiplied by (n-1)/n, with n ranks.

namespace ddproxy::model {
namespace {

const Layers even{{8, 24, 16, 32, 40, 16}};  // divisible by the 2, 4 and 8 ranks below
const Layers odd{{5, 23, 14, 31, 37, 11}};

double psi(Layers const& model) {
  return 4.0 * static_cast<double>(model.elements());
}

double sent(RankGraphs const& step, std::size_t rank_class = 0) {
  double bytes = 0;
  for (auto const& [verb, volume] : wire_volume(step, rank_class)) bytes += volume.bytes_sent;
  return bytes;
}

/// Returns the bytes that a rank of the class sends on one communicator.
double sent_on(CommunicatorId communicator, RankGraphs const& step, std::size_t rank_class) {
  const auto is_other = [&](Task const& task) {
    auto const* collective = std::get_if<Collective>(&task.work);
    return !collective || collective->communicator != communicator;
  };
  return sent(changed(step, [&](StepGraph& graph) { std::erase_if(graph.tasks, is_other); }), rank_class);
}

double share(std::size_t ranks) {
  return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

/// Checks that the step is right, and the bytes that a rank sends with each verb. `expected` has all verbs of
/// the step.
void expect_sent(RankGraphs const& step, std::map<Verb, double> const& expected) {
  EXPECT_EQ(text(check(step)), "");
  const auto volumes = wire_volume(step, 0);
  EXPECT_EQ(volumes.size(), expected.size());
  for (auto const& [verb, bytes] : expected) {
    ASSERT_TRUE(volumes.contains(verb)) << name_of(verb);
    EXPECT_NEAR(volumes.at(verb).bytes_sent, bytes, 1e-9) << name_of(verb);
  }
}

TEST(WireVolume, OfDataParallelAndZeroMatchesTheClosedForms) {
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

TEST(WireVolume, OfFullyShardedIsTheClosedFormMinusTheUnitsThatStayGathered) {
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

TEST(WireVolume, OfHybridShardingIsTheSumOverShardAndReplicaGroups) {
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
  const auto step = fsdp_step(odd, {.shards = 4});
  EXPECT_EQ(text(check(step)), "");
  const auto volumes = wire_volume(step, 0);
  const std::int64_t all = 4 * static_cast<std::int64_t>(odd.elements());
  const std::int64_t padding = 4 * (3 + 1 + 2 + 1 + 3 + 1);
  Volume const& reduced = volumes.at(Verb::reduce_scatter);
  EXPECT_EQ(reduced.bytes - reduced.padding, all);
  EXPECT_EQ(reduced.padding, padding);
  EXPECT_EQ(reduced.calls, odd.sizes.size());
  // Each unit is gathered twice, except the last one, which is kept between forward and backward.
  Volume const& gathered = volumes.at(Verb::all_gather);
  EXPECT_EQ(gathered.bytes - gathered.padding, 2 * all - 4 * 11);
  EXPECT_EQ(gathered.padding, 2 * padding - 4 * 1);
  EXPECT_EQ(gathered.calls, 2 * odd.sizes.size() - 1);
}

/// Checks what stage s of a pipeline with k micro-batches sends and receives. Link l connects the stages l
/// and l + 1. Its communicators are 1 + l towards the last stage and `stages` + l towards the first stage.
void expect_sent_by_stage(RankGraphs const& step, std::size_t stages, std::size_t k, std::size_t s) {
  const double once = 4 * static_cast<double>(k);  // an activation is one element in fp32
  const std::size_t links = std::size_t{s > 0} + std::size_t{s + 1 < stages};
  const auto volumes = wire_volume(step, s);
  EXPECT_EQ(volumes.at(Verb::send).calls, links * k);
  EXPECT_EQ(volumes.at(Verb::receive).calls, links * k);
  EXPECT_DOUBLE_EQ(sent(step, s), static_cast<double>(links) * once);
  for (std::size_t link = 0; link + 1 < stages; ++link) {
    EXPECT_DOUBLE_EQ(sent_on(CommunicatorId{1 + link}, step, s), s == link ? once : 0) << link;
    EXPECT_DOUBLE_EQ(sent_on(CommunicatorId{stages + link}, step, s), s == link + 1 ? once : 0) << link;
  }
}

TEST(WireVolume, OfAPipelineIsOneActivationForEachLinkAndMicroBatch) {
  for (const std::size_t stages : {2, 4}) {
    for (const int k : {1, 8}) {
      const auto step = pipeline_step(stages, k);
      EXPECT_EQ(text(check(step)), "");
      for (std::size_t s = 0; s < stages; ++s) {
        SCOPED_TRACE(std::to_string(k) + " micro-batches, stage " + std::to_string(s) + " of " +
                     std::to_string(stages));
        expect_sent_by_stage(step, stages, static_cast<std::size_t>(k), s);
      }
    }
  }
}

TEST(WireVolume, HalvesWithBf16InsteadOfFp32OnTheWire) {
  auto step = ddp_step(even, {});
  EXPECT_EQ(text(check(step)), "");
  const double full = sent(step);
  for (Task& task : step.classes[0].graph.tasks) {
    if (auto* collective = std::get_if<Collective>(&task.work)) collective->wire = DataType::bf16;
  }
  EXPECT_EQ(text(check(step)), "");
  EXPECT_DOUBLE_EQ(sent(step), full / 2);
}

}  // namespace
}  // namespace ddproxy::model
