// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "ctest/miniapp/passing_lane.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/step/step_meter.hpp"
#include "miniapp/measure/step/verify_context.hpp"
#include "model/step/check/check.hpp"

// Verifies the compiled steps of `ddproxy step`, and plants faults into their graphs and their lanes.
namespace ddproxy {
namespace {

using model::ShardStage;
using model::Verb;

int ranks() {
  return test_runtime->ranks();
}

Config small(ShardStage stage) {
  Config config;
  config.file = "verify_step_test";
  config.shape = model::find_preset("tiny");
  config.tokens = {2, 13};
  config.backend = Backend::mpi;
  config.mpi_call = MpiCallKind::nonblocking;
  config.caps_mib = {0.05};
  config.machine = {1e12, 1e10};
  config.sharding.stage = stage;
  config.step.optimizer = model::Optimizer::adamw;
  return config;
}

struct Named {
  std::string name;
  Config config;
};

std::vector<ShardStage> stages() {
  if (ranks() == 1) return {ShardStage::none};
  return {ShardStage::none, ShardStage::zero1, ShardStage::zero2, ShardStage::fsdp};
}

/// Returns inputs with every sharding stage and many options of a step. With one rank the only stage is none.
std::vector<Named> inputs() {
  std::vector<Named> all;
  for (const auto stage : stages()) {
    const auto add = [&](std::string const& name, auto change) {
      all.push_back({std::to_string(static_cast<int>(stage)) + " " + name, small(stage)});
      change(all.back().config);
    };
    add("plain", [](Config&) {});
    add("no update", [](Config& c) { c.step.optimizer = model::Optimizer::none; });
    add("clipped", [](Config& c) { c.step.clip = 1; });
    add("clipped, no update", [](Config& c) {
      c.step.clip = 1;
      c.step.optimizer = model::Optimizer::none;
    });
    add("accumulation", [](Config& c) { c.step.accumulation = 3; });
    add("accumulation, each", [](Config& c) {
      c.step.accumulation = 3;
      c.step.sync = model::Sync::each;
    });
    add("checkpoint", [](Config& c) { c.step.checkpoint = model::Checkpoint::layer; });
    add("bf16", [](Config& c) {
      c.wire = WireFormat::bf16;
      c.step.clip = 1;
      c.step.accumulation = 3;
      c.step.sync = model::Sync::each;
    });
    add("poll", [](Config& c) { c.progress = Progress::poll; });
    add("no overlap", [](Config& c) { c.progress = Progress::none; });
    add("blocking", [](Config& c) { c.mpi_call = MpiCallKind::blocking; });
    add("replayed compute", [](Config& c) { c.compute = ComputeMode::replay; });
  }
  const auto add = [&](std::string const& name, ShardStage stage, auto change) {
    if (ranks() == 1 && stage != ShardStage::none) return;
    all.push_back({name, small(stage)});
    change(all.back().config);
  };
  for (const auto mode : {model::CopyMode::in, model::CopyMode::in_out})
    for (const auto compute : {ComputeMode::kernels, ComputeMode::replay})
      add("copies", ShardStage::none, [&](Config& c) {
        c.copies = mode;
        c.compute = compute;
        c.step.accumulation = 2;
      });
  add("zero1 all_reduce and broadcast", ShardStage::zero1, [](Config& c) {
    c.sharding.reduce = Verb::all_reduce;
    c.sharding.update = Verb::broadcast;
  });
  add("fsdp on two lanes", ShardStage::fsdp, [](Config& c) {
    c.sharding.lanes = 2;
    c.sharding.prefetch = 2;
  });
  add("fsdp without resharding", ShardStage::fsdp,
      [](Config& c) { c.sharding.reshard_after_forward = false; });
  if (ranks() == 4) add("hsdp", ShardStage::fsdp, [](Config& c) { c.sharding.group = 2; });
  return all;
}

/// Returns the messages of all ranks, on rank 0.
std::string verified(StepContext& context) {
  std::string all;
  for (auto const& message : test_runtime->gather(verify_step(context)))
    all += message.empty() ? "" : message + "\n";
  return all;
}

bool is_root() {
  return test_runtime->root();
}

TEST(VerifyStep, AcceptsEveryStep) {
  for (auto const& [name, config] : inputs()) {
    SCOPED_TRACE(name);
    auto context = make_step_context(config, make_workload(config), *test_runtime);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(verified(context), "");
  }
}

TEST(VerifyStep, DoesNotChangeTheLossesOfLaterSteps) {
  for (const auto stage : stages()) {
    const Config config = small(stage);
    std::vector<double> losses;
    for (const bool verifies : {false, true}) {
      auto context = make_step_context(config, make_workload(config), *test_runtime);
      if (verifies) {
        EXPECT_EQ(verified(context), "");
      }
      context.kernels->initialise(step_seed);
      StepMeter meter(context);
      for (int step = 0; step < 3; ++step) {
        meter.step();
        losses.push_back(meter.loss());
      }
      EXPECT_TRUE(meter.equal_parameters());
    }
    for (std::size_t step = 0; step < 3; ++step) EXPECT_EQ(losses[step], losses[3 + step]) << step;
  }
}

// ---- planted faults

/// Returns the message about a step whose graph was changed on all ranks.
std::string with_graph(Config const& config,
                       std::function<void(model::StepGraph&, StepContext&)> const& change) {
  auto context = make_step_context(config, make_workload(config), *test_runtime);
  change(context.graphs.classes[context.rank_class].graph, context);
  context.step =
      std::make_unique<CompiledStep>(context.graph(), context.places.first, context.groups.places());
  context.make_lanes();
  return verified(context);
}

/// Assigns 1 to `stray` at the end of a step.
class StrayLane : public PassingLane {
 public:
  StrayLane(std::unique_ptr<CommunicationLane> lane, float& stray)
      : PassingLane(std::move(lane)), stray_(stray) {}
  void wait_all() override {
    lane_->wait_all();
    stray_ = 1;
  }

 private:
  float& stray_;
};

/// Returns the message about a step in which one collective of a verb is carried out `times` times.
/// `from_end` says which: 0 is the last collective of the verb, 1 the one before it.
std::string with_call(Config const& config, Verb verb, int times, std::size_t from_end) {
  auto context = make_step_context(config, make_workload(config), *test_runtime);
  auto& lane = context.own_lanes.empty() ? context.rank.allreduce : context.own_lanes.front();
  auto const& calls = context.step->collectives(0);
  std::vector<std::size_t> found;
  for (std::size_t call = 0; call < calls.size(); ++call)
    if (calls[call].verb == verb) found.push_back(call);
  lane = std::make_unique<RepeatingLane>(std::move(lane), found.at(found.size() - 1 - from_end), times);
  return verified(context);
}

void expect_caught(std::string const& message, std::string const& part) {
  if (!is_root()) return;
  EXPECT_NE(message.find(part), std::string::npos) << "message: " << message;
}

std::vector<Config> with_and_without_updates(ShardStage stage) {
  std::vector<Config> all(2, small(stage));
  all[1].step.optimizer = model::Optimizer::none;
  return all;
}

TEST(VerifyStepPlanted, ASumInsteadOfTheAverageIsCaught) {
  if (ranks() == 1) GTEST_SKIP() << "the sum of one rank is the average";
  for (const auto stage : stages())
    for (Config config : with_and_without_updates(stage))
      for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
        config.wire = wire;
        bool accepted = false;
        const auto message = with_graph(config, [&](model::StepGraph& graph, StepContext& context) {
          for (auto& task : graph.tasks)
            if (auto* one = std::get_if<model::Collective>(&task.work))
              one->reduction = model::Reduction::sum;
          accepted = model::check(context.graphs).empty();
        });
        expect_caught(message, config.step.optimizer == model::Optimizer::none ? "after the step"
                                                                               : "before the update");
        expect_caught(message, "expected");
        if (is_root() && !accepted) std::cout << "model::check refuses the sum, too\n";
      }
}

TEST(VerifyStepPlanted, ABucketThatIsNotReducedIsCaught) {
  if (ranks() == 1) {
    expect_caught(with_call(small(ShardStage::none), Verb::all_reduce, 0, 0), "collective");
    return;
  }
  for (const auto stage : stages())
    for (auto const& config : with_and_without_updates(stage))
      for (const std::size_t from_end : {0, 1}) {
        const Verb verb = stage == ShardStage::none ? Verb::all_reduce : Verb::reduce_scatter;
        expect_caught(with_call(config, verb, 0, from_end), "expected");
      }
}

TEST(VerifyStepPlanted, ABucketThatIsReducedTwiceIsCaught) {
  for (const auto stage : stages())
    for (auto const& config : with_and_without_updates(stage)) {
      const Verb verb = stage == ShardStage::none ? Verb::all_reduce : Verb::reduce_scatter;
      expect_caught(with_call(config, verb, 2, 1), "collectives, but the step has");
    }
}

TEST(VerifyStepPlanted, AMissingGatherIsCaught) {
  if (ranks() == 1) GTEST_SKIP() << "one rank gathers nothing";
  for (const auto stage : {ShardStage::zero1, ShardStage::zero2, ShardStage::fsdp})
    for (const std::size_t from_end : {0, 1})
      expect_caught(with_call(small(stage), Verb::all_gather, 0, from_end), "expected");
}

/// In every update task, moves the start of the slice of access number `access` by one element. Shortens the
/// slice so that it stays in its buffer, and so that the parts of all ranks stay equally long.
void move_slice(model::StepGraph& graph, std::size_t access) {
  for (auto& task : graph.tasks) {
    auto const* compute = std::get_if<model::Compute>(&task.work);
    if (!compute || compute->phase != model::Phase::update) continue;
    auto& slice = task.accesses[access].slice;
    const std::size_t less = task.accesses[access].part ? static_cast<std::size_t>(ranks()) : 1;
    if (slice.count > less) slice = {slice.offset + 1, slice.count - less};
  }
}

TEST(VerifyStepPlanted, AShardThatIsOffByOneIsCaught) {
  for (const auto stage : stages())
    for (const std::size_t access : {0, 1, 2})  // gradients, parameters, states of the optimizer
      expect_caught(
          with_graph(small(stage), [&](model::StepGraph& graph, StepContext&) { move_slice(graph, access); }),
          "expected");
}

TEST(VerifyStepPlanted, AMicroBatchThatIsAssignedInsteadOfAddedIsCaught) {
  for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
    Config config = small(ShardStage::none);
    config.step.accumulation = 2;
    config.wire = wire;
    expect_caught(with_graph(config,
                             [](model::StepGraph& graph, StepContext&) {
                               for (auto& task : graph.tasks)
                                 for (auto& access : task.accesses)
                                   if (access.mode == model::AccessMode::contribute)
                                     access.mode = model::AccessMode::assign;
                             }),
                  "expected");
  }
}

TEST(VerifyStepPlanted, ANormThatLeavesOutABucketIsCaught) {
  for (const auto stage : stages()) {
    Config config = small(stage);
    config.step.clip = 1;
    expect_caught(with_graph(config,
                             [](model::StepGraph& graph, StepContext&) {
                               for (auto& task : graph.tasks) {
                                 auto const* compute = std::get_if<model::Compute>(&task.work);
                                 if (compute && compute->phase == model::Phase::norm)
                                   task.accesses[0].mode = model::AccessMode::assign;
                               }
                             }),
                  "the norm of the gradients must cover");
  }
}

// The lane writes into the last activation, which is not live when the step ends.
TEST(VerifyStepPlanted, AWriteIntoAReleasedBufferIsCaught) {
  const Config config = small(ShardStage::none);
  auto context = make_step_context(config, make_workload(config), *test_runtime);
  auto const& buffers = context.graph().buffers;
  std::size_t released = 0;
  for (std::size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].kind == model::BufferKind::activation) released = context.places.first[b];
  auto& lane = context.rank.allreduce;
  lane = std::make_unique<StrayLane>(std::move(lane), context.rank.memory[released]);
  expect_caught(verified(context), "expected NaN, because nothing may have written it, found 1");
}

}  // namespace
}  // namespace ddproxy
