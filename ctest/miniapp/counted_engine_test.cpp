// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>

#include "ctest/miniapp/counting_engine.hpp"
#include "ctest/miniapp/exact_step.hpp"
#include "ctest/miniapp/mpi_bytes.hpp"
#include "ctest/miniapp/passing_lane.hpp"
#include "ctest/miniapp/preset_cases.hpp"
#include "ctest/miniapp/step_run.hpp"
#include "ctest/model/step/steps.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "miniapp/input/step_memory.hpp"

// Counts the bytes of each verb that a running step hands to its engine, and the bytes that reach MPI. Both
// counts must agree with the step graph (wire_volume()) and with the closed forms of the literature
// (ctest/model/step/wire_volume_test.cpp).
namespace ddproxy {
namespace {

using model::Verb;

std::size_t ranks() {
  return static_cast<std::size_t>(test_runtime->ranks());
}

/// A compute lane that does nothing.
class IdleLane : public ComputeLane {
 public:
  std::size_t operations() const override { return 0; }
  void run(std::size_t) override {}
  bool knows(model::Compute const&) const override { return true; }
  void carry_out(ComputeCall const&) override {}
  void copy(Slice, std::size_t) override {}
  void wait_for(Completion const& completion) override { wait_until_over(completion); }
  Completion completion() override { return {Clock::now()}; }
  void fence() override {}
};

/// A fault: one call of the step is carried out `times` times.
struct Fault {
  std::size_t call;
  int times;
};

/// What a step did on this rank.
struct Traffic {
  CountedByVerb engine;  ///< what its engines were asked to begin
  CountedByVerb mpi;     ///< what its engines handed to MPI; `calls` counts the pieces
};

std::map<Verb, std::int64_t> bytes_of(CountedByVerb const& counted) {
  std::map<Verb, std::int64_t> bytes;
  for (auto const& [verb, one] : counted) bytes[verb] = one.bytes;
  return bytes;
}

std::size_t own_class_of(model::RankGraphs const& graphs) {
  return model::class_of_ranks(graphs)[static_cast<std::size_t>(test_runtime->rank())];
}

/// Runs a step with one communication lane, which connects all ranks. Nothing is computed.
Traffic run_idle(model::RankGraphs const& graphs, WireFormat wire, bool thread = true,
                 std::optional<Fault> fault = std::nullopt, bool blocking = false) {
  auto const& graph = graphs.classes[own_class_of(graphs)].graph;
  const auto places = place_buffers(graph);
  std::vector<float> memory(places.elements, 1.0F);
  const GroupPlace place{test_runtime->rank(), test_runtime->ranks()};
  CompiledStep step(graph, places.first, {place});
  // With MPICH and fp32, ddproxy averages more than 2048 elements over two ranks with sends and receives
  // (exchange_average.hpp). Shorter pieces are reduced by MPI, which mpi_bytes() counts by verb.
  constexpr std::size_t piece = 2000;
  Traffic run;
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  engines.push_back(std::make_unique<CountingEngine>(
      std::make_unique<MpiEngine>(MPI_COMM_WORLD, memory.data(), piece, 60, wire, MpiCallTable(blocking)),
      wire_element_bytes(wire), run.engine));
  auto lanes = make_lanes(std::move(engines), {.thread = thread}, place.rank);
  if (fault)
    lanes.front() = std::make_unique<RepeatingLane>(std::move(lanes.front()), fault->call, fault->times);
  IdleLane compute;
  forget_mpi_bytes();
  run_step(step, compute, *lanes.front());
  run.mpi = mpi_bytes(place.ranks);
  return run;
}

CountedByVerb volume_of(model::RankGraphs const& graphs, std::size_t rank_class = 0) {
  CountedByVerb volume;
  for (auto const& [verb, one] : model::wire_volume(graphs, rank_class))
    volume[verb] = {one.calls, one.bytes};
  return volume;
}

void expect_as_the_graph_says(Traffic const& run, model::RankGraphs const& graphs,
                              std::size_t rank_class = 0) {
  EXPECT_EQ(run.engine, volume_of(graphs, rank_class));
  EXPECT_EQ(bytes_of(run.mpi), bytes_of(volume_of(graphs, rank_class)));
}

/// Returns psi, the bytes of all gradients on the wire.
std::int64_t psi(model::BackwardPass const& pass, WireFormat wire) {
  return model::parameters(pass) * wire_element_bytes(wire);
}

Config tiny(WireFormat wire) {
  Config config;
  config.shape = model::find_preset("tiny");
  config.tokens = {2, 24};
  config.wire = wire;
  config.machine.bandwidth = 1e10;
  return config;
}

TEST(CountedEngine, EveryStrategyReducesEachGradientOnce) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
    const auto config = tiny(wire);
    const auto workload = make_workload(config);
    for (auto const& item : preset_cases(config, workload))
      for (const auto copies : {model::CopyMode::none, model::CopyMode::in, model::CopyMode::in_out}) {
        SCOPED_TRACE(item.name());
        const auto graphs = step_of(item, workload, copies, ranks());
        for (const bool thread : {true, false}) {
          const Traffic run = run_idle(graphs, wire, thread);
          expect_as_the_graph_says(run, graphs);
          const CountedByVerb due{{Verb::all_reduce, {item.plan.size(), psi(workload.pass, wire)}}};
          EXPECT_EQ(run.engine, due);
        }
      }
  }
}

TEST(CountedEngine, BlockingCallsCarryTheBytesOfTheGraph) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
    const auto config = tiny(wire);
    const auto workload = make_workload(config);
    for (auto const& item : preset_cases(config, workload)) {
      SCOPED_TRACE(item.name());
      const auto graphs = step_of(item, workload, model::CopyMode::none, ranks());
      expect_as_the_graph_says(run_idle(graphs, wire, true, std::nullopt, true), graphs);
    }
  }
}

TEST(CountedEngine, AStepWithBroadcastsCarriesTheBytesOfItsGraph) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const auto shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  model::Strategy strategy{.ddp = {.plan = plan_of(shape)}, .optimizer = model::Optimizer::adamw};
  strategy.sharding = {.stage = model::ShardStage::zero1, .update = Verb::broadcast};
  const auto graphs = model::whole_step(pass, model::forward_pass(shape), 16, strategy, ranks());
  for (const bool blocking : {false, true}) {
    const Traffic run = run_idle(graphs, WireFormat::fp32, true, std::nullopt, blocking);
    expect_as_the_graph_says(run, graphs, own_class_of(graphs));
    EXPECT_EQ(run.engine.at(Verb::broadcast).bytes, psi(pass, WireFormat::fp32));
  }
}

TEST(CountedEngine, AWholeStepReducesOnceOrInEachMicroBatch) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
    for (auto const& shape : {model::find_preset("tiny"), small_llama()}) {
      const auto pass = model::backward_pass(shape);
      for (auto strategy : preset_steps(plan_of(shape))) {
        strategy.ddp.wire = data_type_of(wire);
        const auto graphs = model::whole_step(pass, model::forward_pass(shape), 16, strategy, ranks());
        const Traffic run = run_idle(graphs, wire);
        expect_as_the_graph_says(run, graphs);
        const int times = strategy.sync == model::Sync::each ? strategy.micro_batches : 1;
        EXPECT_EQ(run.engine.at(Verb::all_reduce).bytes, times * psi(pass, wire));
      }
    }
}

/// Runs a sharded step or a pipeline with exact numbers, so that its collectives are known to be right.
/// Returns what the engines of all its lanes did.
Traffic run_exact(model::RankGraphs const& graphs, WireFormat wire) {
  Traffic run;
  const auto count = [&](std::unique_ptr<CollectiveEngine> engine) {
    return std::make_unique<CountingEngine>(std::move(engine), wire_element_bytes(wire), run.engine);
  };
  const auto at_end = [&] { run.mpi = mpi_bytes(test_runtime->ranks()); };
  ExactStep exact(graphs, {.wire = wire, .wrap = count, .at_start = forget_mpi_bytes, .at_end = at_end});
  EXPECT_EQ(exact.run(), 0U);
  return run;
}

std::int64_t bytes_of(model::Layers const& layers) {
  return 4 * static_cast<std::int64_t>(layers.elements());
}

const model::Layers even{{96, 40, 64, 8}};  // divisible by 2 and 4 ranks

TEST(CountedEngine, ShardedStepsHandOverTheBytesOfTheClosedForms) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const std::int64_t all = bytes_of(even);
  for (const std::int64_t k : {1, 3}) {
    const int batches = static_cast<int>(k);
    const auto count = [](model::RankGraphs const& graphs) {
      const Traffic run = run_exact(graphs, WireFormat::fp32);
      expect_as_the_graph_says(run, graphs);
      return run.engine;
    };
    const auto zero = [&](model::Zero stage) {
      return count(model::ddp_step(even, {.ranks = ranks(), .micro_batches = batches, .zero = stage}));
    };
    EXPECT_EQ(bytes_of(zero(model::Zero::none)), (std::map<Verb, std::int64_t>{{Verb::all_reduce, all}}));
    EXPECT_EQ(bytes_of(zero(model::Zero::stage1)),
              (std::map<Verb, std::int64_t>{{Verb::reduce_scatter, all}, {Verb::all_gather, all}}));
    EXPECT_EQ(bytes_of(zero(model::Zero::stage2)),
              (std::map<Verb, std::int64_t>{{Verb::reduce_scatter, k * all}, {Verb::all_gather, all}}));
    // The last unit stays gathered between forward and backward, and the first between micro-batches.
    const std::int64_t stays = 4 * (k * 8 + (k - 1) * 96);
    EXPECT_EQ(bytes_of(count(model::fsdp_step(even, {.shards = ranks(), .micro_batches = batches}))),
              (std::map<Verb, std::int64_t>{{Verb::all_gather, 2 * k * all - stays},
                                            {Verb::reduce_scatter, k * all}}));
    EXPECT_EQ(bytes_of(count(
                  model::fsdp_step(even, {.shards = ranks(), .reshard = false, .micro_batches = batches}))),
              (std::map<Verb, std::int64_t>{{Verb::all_gather, all}, {Verb::reduce_scatter, k * all}}));
  }
}

TEST(CountedEngine, APipelineMakesTheTransfersOfItsGraph) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const auto graphs = model::pipeline_step(ranks(), 5);
  const Traffic run = run_exact(graphs, WireFormat::fp32);
  expect_as_the_graph_says(run, graphs, own_class_of(graphs));
  const bool at_an_end = test_runtime->rank() == 0 || test_runtime->rank() + 1 == test_runtime->ranks();
  const std::size_t transfers = at_an_end ? 5 : 10;  // 5 micro-batches, one or two neighbours
  EXPECT_EQ(run.engine.at(Verb::send).calls, transfers);
  EXPECT_EQ(run.engine.at(Verb::receive).calls, transfers);
}

TEST(CountedEngine, ABucketThatIsStartedTwiceOrLeftOutIsSeen) {
  const auto workload = make_workload(tiny(WireFormat::fp32));
  const auto plan = model::per_tensor_plan(workload.gradient_bytes);
  const auto graphs = model::ddp(workload.pass, {plan}, ranks());
  const auto due = volume_of(graphs).at(Verb::all_reduce);
  for (const std::size_t bucket : {std::size_t{0}, plan.size() / 2, plan.size() - 1}) {
    const auto twice = run_idle(graphs, WireFormat::fp32, true, Fault{bucket, 2});
    EXPECT_EQ(twice.engine.at(Verb::all_reduce).bytes, due.bytes + plan[bucket].bytes);
    EXPECT_EQ(twice.mpi.at(Verb::all_reduce).bytes, due.bytes + plan[bucket].bytes);
    const auto without = run_idle(graphs, WireFormat::fp32, true, Fault{bucket, 0});
    EXPECT_EQ(without.engine.at(Verb::all_reduce).bytes, due.bytes - plan[bucket].bytes);
    EXPECT_EQ(without.mpi.at(Verb::all_reduce).bytes, due.bytes - plan[bucket].bytes);
  }
}

}  // namespace
}  // namespace ddproxy
