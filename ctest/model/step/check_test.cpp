// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "ctest/model/random_number.hpp"
#include "model/step/check/gradient_sums.hpp"
#include "model/step/check/lane_clocks.hpp"
#include "steps.hpp"
#include "violations.hpp"

namespace ddproxy::model {
namespace {

Layers random_layers(std::mt19937& random) {
  Layers model;
  for (int l = number(random, 1, 7); l > 0; --l)
    model.sizes.push_back(static_cast<std::size_t>(number(random, 1, 40)));
  return model;
}

const Layers six{{5, 8, 3, 7, 4, 6}};

// ---- steps that are right

TEST(Check, AcceptsDataParallelAndZeroStepsOfRandomModels) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Layers model = random_layers(random);
    DdpOptions options{.ranks = static_cast<std::size_t>(number(random, 1, 5)),
                       .bucket = static_cast<std::size_t>(number(random, 1, 4)),
                       .micro_batches = number(random, 1, 4),
                       .zero = static_cast<Zero>(number(random, 0, 2)),
                       .clipped = number(random, 0, 1) == 1};
    model.tied = options.zero != Zero::stage2 && model.sizes.size() > 1 && number(random, 0, 1) == 1;
    EXPECT_EQ(text(check(ddp_step(model, options))), "") << "seed " << seed;
  }
}

TEST(Check, AcceptsFullyShardedStepsOfRandomModels) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Layers model = random_layers(random);
    FsdpOptions options{.shards = static_cast<std::size_t>(number(random, 1, 4)),
                        .replicas = static_cast<std::size_t>(number(random, 1, 3)),
                        .slots = static_cast<std::size_t>(number(random, 1, 4)),
                        .reshard = number(random, 0, 1) == 1,
                        .micro_batches = number(random, 1, 4),
                        .regather = number(random, 0, 1) == 1,
                        .checkpoint = number(random, 0, 1) == 1,
                        .clipped = number(random, 0, 1) == 1};
    EXPECT_EQ(text(check(fsdp_step(model, options))), "") << "seed " << seed;
  }
}

TEST(Check, AcceptsPipelines) {
  for (std::size_t stages = 2; stages <= 5; ++stages) {
    for (const int micro_batches : {1, 2, 4, 9}) {
      EXPECT_EQ(text(check(pipeline_step(stages, micro_batches))), "") << stages << " stages";
    }
  }
}

// ---- planted faults: at least one for each rule

Task* find_collective(StepGraph& graph, Verb verb, int which = 0) {
  for (Task& task : graph.tasks) {
    auto const* collective = std::get_if<Collective>(&task.work);
    if (collective && collective->verb == verb && which-- == 0) return &task;
  }
  return nullptr;
}

Task* find_compute(StepGraph& graph, Phase phase, int which = 0) {
  for (Task& task : graph.tasks) {
    auto const* compute = std::get_if<Compute>(&task.work);
    if (compute && compute->phase == phase && which-- == 0) return &task;
  }
  return nullptr;
}

TEST(Check, FindsACollectiveThatDoesNotWaitForItsGradients) {
  const auto step =
      changed(ddp_step(six, {}), [](StepGraph& g) { find_collective(g, Verb::all_reduce)->after.clear(); });
  EXPECT_TRUE(found(check(step), Rule::ordered)) << text(check(step));
}

TEST(Check, FindsComputeThatDoesNotWaitForItsGatheredUnit) {
  const auto step =
      changed(fsdp_step(six, {}), [](StepGraph& g) { find_compute(g, Phase::forward, 1)->after.clear(); });
  EXPECT_TRUE(found(check(step), Rule::ordered)) << text(check(step));
}

TEST(Check, FindsAGatherThatOverwritesASlotBeforeItsLastRead) {
  const auto step = changed(fsdp_step(six, {}),
                            [](StepGraph& g) { find_collective(g, Verb::all_gather, 4)->after.clear(); });
  EXPECT_TRUE(found(check(step), Rule::ordered)) << text(check(step));
}

TEST(Check, FindsASlotThatIsReusedTooEarlyThoughTasksAreOrdered) {
  // The second gather writes into the buffer of the first gather. The forward pass of the first layer waits
  // for both, so it reads the parameters of the second layer. The second layer reads an empty buffer.
  const auto step = changed(fsdp_step(six, {.slots = 3}), [](StepGraph& g) {
    const BufferId first = find_collective(g, Verb::all_gather)->accesses[1].buffer;
    Task* const second = find_collective(g, Verb::all_gather, 1);
    second->accesses[1].buffer = first;
    find_compute(g, Phase::forward)
        ->after.push_back(TaskId{static_cast<std::size_t>(second - g.tasks.data())});
  });
  const auto violations = check(step);
  EXPECT_FALSE(found(violations, Rule::ordered)) << text(violations);
  EXPECT_TRUE(found(violations, Rule::right_content)) << text(violations);
  EXPECT_TRUE(found(violations, Rule::filled)) << text(violations);
}

TEST(Check, FindsAGradientThatIsNeverReduced) {
  const auto step = changed(ddp_step(six, {}),
                            [](StepGraph& g) { find_collective(g, Verb::all_reduce)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

/// Inserts a copy of a task after the task, and increases the ids of all later tasks.
void repeat(StepGraph& graph, Task const* task) {
  const auto at = static_cast<std::size_t>(task - graph.tasks.data());
  const Task copy = *task;
  for (Task& each : graph.tasks) {
    for (TaskId& before : each.after) {
      if (index(before) > at)
        before = TaskId{index(before) + 1};
      else if (index(before) == at && &each != task)
        before = TaskId{at + 1};
    }
  }
  graph.tasks.insert(graph.tasks.begin() + static_cast<std::ptrdiff_t>(at) + 1, copy);
}

TEST(Check, FindsAGradientThatIsReducedTwice) {
  const auto step =
      changed(ddp_step(six, {}), [](StepGraph& g) { repeat(g, find_collective(g, Verb::all_reduce)); });
  EXPECT_TRUE(found(check(step), Rule::contributes_once)) << text(check(step));
}

TEST(Check, FindsABackwardOperatorThatIsRepeated) {
  // In the second micro-batch the operator adds to the gradient of the first micro-batch. The first of the
  // two equal tasks does not end the use of its activations, so the second task can read them.
  const auto violations = check(changed(ddp_step(six, {.micro_batches = 2}), [](StepGraph& g) {
    Task* const backward = find_compute(g, Phase::backward, 6);
    for (Access& access : backward->accesses) access.last_use = false;
    repeat(g, backward);
  }));
  EXPECT_TRUE(found_only(violations, Rule::contributes_once)) << text(violations);
  EXPECT_NE(text(violations)
                .find("rank 0: task 19, backward of operator 5, micro-batch 1: a contribution "
                      "enters a gradient twice"),
            std::string::npos)
      << text(violations);
}

TEST(Check, FindsAMicroBatchThatOverwritesEarlierGradients) {
  const auto step = changed(ddp_step(six, {.micro_batches = 4}), [](StepGraph& g) {
    for (Access& access : find_compute(g, Phase::backward, 7)->accesses) {
      if (access.mode == AccessMode::contribute) access.mode = AccessMode::assign;
    }
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

TEST(Check, FindsATiedGradientThatLacksTheContributionOfOneOperator) {
  Layers tied = six;
  tied.tied = true;
  EXPECT_EQ(text(check(ddp_step(tied, {}))), "");
  const auto step = changed(ddp_step(tied, {}), [](StepGraph& g) {
    for (Access& access : find_compute(g, Phase::backward, 5)->accesses) {
      if (access.mode == AccessMode::contribute) access.mode = AccessMode::assign;
    }
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

TEST(Check, FindsAReadBeforeTheWrite) {
  const auto step =
      changed(ddp_step(six, {}), [](StepGraph& g) { find_compute(g, Phase::forward, 1)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::filled)) << text(check(step));
}

TEST(Check, FindsAReadBeforeTheGather) {
  const auto step = changed(fsdp_step(six, {}),
                            [](StepGraph& g) { find_collective(g, Verb::all_gather)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::filled)) << text(check(step));
}

TEST(Check, FindsAReadAfterTheLastUse) {
  const auto step = changed(fsdp_step(six, {.reshard = false}), [](StepGraph& g) {
    for (Access& access : find_compute(g, Phase::forward, 2)->accesses) {
      if (access.content == Content::parameter) access.last_use = true;
    }
  });
  EXPECT_TRUE(found(check(step), Rule::filled)) << text(check(step));
}

TEST(Check, FindsATaskThatWaitsForALaterTask) {
  const auto step = changed(ddp_step(six, {}), [](StepGraph& g) { g.tasks[2].after.push_back(TaskId{5}); });
  EXPECT_TRUE(found(check(step), Rule::rising)) << text(check(step));
}

TEST(Check, FindsRanksThatIssueCollectivesInDifferentOrder) {
  auto step = split(ddp_step({{5, 8, 3, 7}}, {.bucket = 1}));
  EXPECT_EQ(text(check(step)), "");
  StepGraph& graph = step.classes[1].graph;
  Task *first = find_collective(graph, Verb::all_reduce),
       *second = find_collective(graph, Verb::all_reduce, 1);
  std::swap(first->accesses, second->accesses);
  EXPECT_TRUE(found(check(step), Rule::same_order)) << text(check(step));
}

TEST(Check, FindsARankThatOmitsACollective) {
  auto step = split(ddp_step(six, {}));
  find_collective(step.classes[1].graph, Verb::all_reduce)->work = HostWait{};
  EXPECT_TRUE(found(check(step), Rule::same_order)) << text(check(step));
}

TEST(Check, FindsTransfersThatCrossOnOneLane) {
  const auto violations = check(pipeline_step(4, 8, true));
  EXPECT_TRUE(found(violations, Rule::no_deadlock)) << text(violations);
}

TEST(Check, FindsSendsThatWaitForEachOther) {
  // Two stages exchange data on one lane, and each sends before it receives. This deadlocks. If each rank's
  // send and receive are one task, the exchange is right.
  const auto exchange = [](bool grouped) {
    RankGraphs step;
    step.communicators = {{{{0}, {1}}}, {{{0, 1}}}, {{{0, 1}}}};
    for (std::size_t rank = 0; rank < 2; ++rank) {
      StepGraph graph;
      graph.buffers = {{.kind = BufferKind::activation,
                        .elements = 1,
                        .at_entry = {Content::activation},
                        .at_exit = {Content::activation}},
                       {.kind = BufferKind::activation, .elements = 1}};
      const Collective send{
          .verb = Verb::send, .communicator = CommunicatorId{1 + rank}, .root_or_peer = 1 - rank};
      const Collective receive{
          .verb = Verb::receive, .communicator = CommunicatorId{2 - rank}, .root_or_peer = 1 - rank};
      const Access out{BufferId{0}, {0, 1}, AccessMode::read, Content::activation};
      const Access in{BufferId{1}, {0, 1}, AccessMode::assign, Content::activation};
      const Lane lane{LaneKind::communication, 0};
      if (grouped) {
        graph.tasks = {{std::vector{send, receive}, {out, in}, lane}};
      } else {
        graph.tasks = {{send, {out}, lane}, {receive, {in}, lane}};
      }
      graph.expected.replicas = CommunicatorId{0};
      step.classes.push_back({graph, {rank}});
    }
    return check(step);
  };
  EXPECT_TRUE(found(exchange(false), Rule::no_deadlock)) << text(exchange(false));
  EXPECT_EQ(text(exchange(true)), "");
}

/// Returns a step of two ranks with a communicator and a lane for each of two buffers. A rank averages both
/// buffers in the given order; its second all-reduce waits for its first.
RankGraphs two_lanes(std::array<std::size_t, 2> of_first_rank, std::array<std::size_t, 2> of_second_rank) {
  RankGraphs step;
  step.communicators = {{{{0, 1}}}, {{{0, 1}}}};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const BufferState same{Content::activation};
    const Buffer buffer{.kind = BufferKind::activation, .elements = 1, .at_entry = same, .at_exit = same};
    StepGraph graph;
    graph.buffers = {buffer, buffer};
    for (const std::size_t b : rank == 0 ? of_first_rank : of_second_rank) {
      graph.tasks.push_back({.work = Collective{.verb = Verb::all_reduce, .communicator = CommunicatorId{b}},
                             .accesses = {{BufferId{b}, {0, 1}, AccessMode::modify, Content::activation}},
                             .lane = {LaneKind::communication, b}});
      if (graph.tasks.size() == 2) graph.tasks[1].after = {TaskId{0}};
    }
    graph.expected.replicas = CommunicatorId{0};
    step.classes.push_back({graph, {rank}});
  }
  return step;
}

TEST(Check, FindsACircularWaitAcrossRanksAndLanes) {
  // Each communicator has one all-reduce, so no order differs within a communicator. But on one rank lane 1
  // waits for lane 0, and on the other rank lane 0 waits for lane 1.
  EXPECT_FALSE(found(check(two_lanes({0, 1}, {0, 1})), Rule::no_deadlock));
  const auto violations = check(two_lanes({0, 1}, {1, 0}));
  EXPECT_TRUE(found(violations, Rule::no_deadlock)) << text(violations);
  EXPECT_FALSE(found(violations, Rule::same_order)) << text(violations);
}

TEST(Check, FindsTwoLanesOfARankThatWaitForEachOther) {
  // The all-reduce waits for the last task of the compute lane, and this task waits for the all-reduce.
  const auto step = changed(ddp_step(six, {}), [](StepGraph& g) {
    Task* const reduced = find_collective(g, Verb::all_reduce);
    const TaskId before = reduced->after.back();
    ASSERT_NE(g.tasks[index(before)].lane, reduced->lane);
    g.tasks[index(before)].after.push_back(TaskId{static_cast<std::size_t>(reduced - g.tasks.data())});
  });
  EXPECT_TRUE(found_only(check(step), Rule::rising)) << text(check(step));
}

TEST(Check, FindsParametersThatAreNotUpdated) {
  const auto step =
      changed(ddp_step(six, {}), [](StepGraph& g) { find_compute(g, Phase::update)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::same_state_at_exit)) << text(check(step));
}

TEST(Check, FindsShardsThatAreUpdatedButNotGathered) {
  const auto step = changed(ddp_step(six, {.zero = Zero::stage1}),
                            [](StepGraph& g) { find_collective(g, Verb::all_gather)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::same_state_at_exit)) << text(check(step));
}

TEST(Check, FindsAnUpdateThatIsRepeated) {
  const auto step =
      changed(ddp_step(six, {}), [](StepGraph& g) { repeat(g, find_compute(g, Phase::update)); });
  EXPECT_TRUE(found(check(step), Rule::right_content)) << text(check(step));
}

TEST(Check, FindsAStateAtTheEndThatDiffersFromTheStart) {
  const auto step = changed(ddp_step(six, {}), [](StepGraph& g) {
    for (Buffer& buffer : g.buffers) {
      if (buffer.kind == BufferKind::parameter) buffer.at_exit.model.offset += 1;
    }
  });
  EXPECT_TRUE(found(check(step), Rule::same_state_at_exit)) << text(check(step));
}

TEST(Check, FindsANormThatCoversOneShardOnly) {
  const DdpOptions options{.zero = Zero::stage1, .clipped = true};
  const auto step = changed(ddp_step(six, options),
                            [](StepGraph& g) { find_collective(g, Verb::all_reduce)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

TEST(Check, FindsANormThatCountsReplicatedGradientsMoreThanOnce) {
  // Without sharding every rank has the whole gradient, so a sum over ranks counts each element n times.
  const auto step = changed(ddp_step(six, {.clipped = true}), [](StepGraph& g) {
    Task* norm = find_compute(g, Phase::norm);
    repeat(g, norm);
    norm = find_compute(g, Phase::norm, 1);
    norm->work =
        Collective{.verb = Verb::all_reduce, .communicator = CommunicatorId{0}, .reduction = Reduction::sum};
    norm->accesses.resize(1);
    norm->accesses[0].mode = AccessMode::modify;
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_once)) << text(check(step));
}

/// Returns the step after all its collectives of `verb` were given this reduction.
RankGraphs with_reduction(RankGraphs step, Verb verb, Reduction reduction) {
  return changed(std::move(step), [&](StepGraph& graph) {
    for (Task& task : graph.tasks)
      if (auto* one = std::get_if<Collective>(&task.work); one && one->verb == verb)
        one->reduction = reduction;
  });
}

TEST(Check, SaysWhyValuesCannotBeAdded) {
  const auto step = ddp_step(six, {});
  Violations violations;
  Findings findings(violations);
  const BufferContents contents(step, findings);
  GradientSums sums(contents, findings);
  const Slice all{0, 4};
  const auto says = [&](Value const& other, std::string const& message) {
    violations.clear();
    const Value gradient{.content = Content::gradient};
    const std::vector<Segments> sources{Segments{{all, gradient}}, Segments{{all, other}}};
    sums.sum(0, sources);
    EXPECT_NE(text(violations).find(message), std::string::npos) << text(violations);
  };
  says({.content = Content::norm}, "adds values of different kinds: a gradient and a norm");
  says({.content = Content::gradient, .model = 3},
       "adds a gradient to a gradient of other elements of the model");
  says({.content = Content::gradient, .version = 1},
       "adds a gradient to a gradient, but only one of the two is clipped or updated");
}

TEST(Check, FindsASumInsteadOfTheAverage) {
  const RankGraphs steps[] = {ddp_step(six, {.micro_batches = 2}), ddp_step(six, {.zero = Zero::stage1}),
                              ddp_step(six, {.micro_batches = 2, .zero = Zero::stage2}),
                              fsdp_step(six, {.replicas = 2, .micro_batches = 2})};
  for (RankGraphs const& step : steps)
    for (const Verb verb : {Verb::all_reduce, Verb::reduce_scatter}) {
      const auto is_of_verb = [&](Task const& task) {
        auto const* one = std::get_if<Collective>(&task.work);
        return one && one->verb == verb;
      };
      if (std::ranges::none_of(step.classes[0].graph.tasks, is_of_verb)) continue;
      const auto violations = check(with_reduction(step, verb, Reduction::sum));
      EXPECT_TRUE(found_only(violations, Rule::averaged)) << &step - steps << ": " << text(violations);
    }
}

TEST(Check, FindsANormThatIsAveraged) {
  const auto violations = check(with_reduction(ddp_step(six, {.zero = Zero::stage1, .clipped = true}),
                                               Verb::all_reduce, Reduction::average));
  EXPECT_TRUE(found_only(violations, Rule::averaged)) << text(violations);
}

TEST(Check, FindsAnUpdateBeforeTheClipping) {
  const auto step = changed(ddp_step(six, {.clipped = true}),
                            [](StepGraph& g) { find_compute(g, Phase::clip, 1)->work = HostWait{}; });
  EXPECT_TRUE(found(check(step), Rule::right_content)) << text(check(step));
}

TEST(Check, FindsTwoClipTasksOfOneGradient) {
  const auto step = changed(ddp_step(six, {.clipped = true}),
                            [](StepGraph& g) { repeat(g, find_compute(g, Phase::clip)); });
  EXPECT_TRUE(found_only(check(step), Rule::right_content)) << text(check(step));
}

TEST(Check, FindsActivationsOfAnotherMicroBatch) {
  const auto step = changed(pipeline_step(4, 8), [](StepGraph& g) {
    if (Task* task = find_compute(g, Phase::backward, 3)) std::get<Compute>(task->work).micro_batch = 5;
  });
  EXPECT_TRUE(found(check(step), Rule::right_content)) << text(check(step));
}

TEST(Check, FindsAnAllGatherWhoseSlicesDoNotFit) {
  const auto step = changed(ddp_step(six, {.ranks = 3, .zero = Zero::stage1}), [](StepGraph& g) {
    Access& shard = find_collective(g, Verb::all_gather)->accesses[0];
    shard.slice.count -= 1;
  });
  EXPECT_TRUE(found(check(step), Rule::well_formed)) << text(check(step));
}

// ---- the order of tasks

/// Returns whether task b waits for task a, directly or through other tasks. A task waits for the tasks in
/// `after`, and for all earlier tasks of its lane.
bool reaches(StepGraph const& graph, std::size_t a, std::size_t b) {
  std::vector<char> ahead(graph.tasks.size());
  ahead[a] = 1;
  for (std::size_t t = a + 1; t <= b; ++t) {
    for (const TaskId before : graph.tasks[t].after) ahead[t] |= ahead[index(before)];
    for (std::size_t u = a; u < t; ++u) {
      if (graph.tasks[u].lane == graph.tasks[t].lane) ahead[t] |= ahead[u];
    }
  }
  return ahead[b];
}

bool conflict(Task const& a, Task const& b) {
  for (Access const& x : a.accesses) {
    for (Access const& y : b.accesses) {
      const bool overlap =
          x.buffer == y.buffer && x.slice.offset < y.slice.end() && y.slice.offset < x.slice.end();
      const bool reads =
          x.mode == AccessMode::read && y.mode == AccessMode::read && !x.last_use && !y.last_use;
      if (overlap && !reads) return true;
    }
  }
  return false;
}

TEST(Check, BuiltStepsOrderAllConflictsAndLaneClocksAgreeWithPaths) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const auto step = fsdp_step(random_layers(random), {.slots = 2, .micro_batches = 2, .clipped = true});
    StepGraph const& graph = step.classes[0].graph;
    const LaneClocks clocks(graph);
    for (std::size_t a = 0; a < graph.tasks.size(); ++a) {
      for (std::size_t b = a + 1; b < graph.tasks.size(); ++b) {
        const bool path = reaches(graph, a, b);
        ASSERT_EQ(clocks.before(TaskId{a}, TaskId{b}), path) << a << " " << b;
        ASSERT_TRUE(path || !conflict(graph.tasks[a], graph.tasks[b])) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace ddproxy::model
