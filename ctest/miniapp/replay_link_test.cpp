// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Compares the ends of transfers on a ReplayLink with closed forms and with simulate(). All times are given,
// so the results do not depend on the machine.
#include "miniapp/collectives/engines/replay_link.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "miniapp/collectives/engines/replay_engine.hpp"
#include "model/cost/step_work.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/step/describe.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy {
namespace {

const Clock::time_point zero{std::chrono::hours(100)};

Clock::time_point at(double seconds) {
  return zero + std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A ReplayLink with several lanes. All times are in seconds from `zero`.
struct Link {
  explicit Link(std::size_t lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) EXPECT_EQ(link.add_lane(), lane);
  }
  void begin(std::size_t lane, double start, double seconds) { link.begin(lane, at(start), seconds); }
  /// Returns the end of the transfer of a lane if it has ended by `now`. Returns -1 if it is in flight.
  double end(std::size_t lane, double now) {
    const auto end = link.ends_by(lane, at(now));
    return end ? seconds_between(zero, *end) : -1;
  }
  ReplayLink link;
};

TEST(ReplayLink, ASingleTransferLastsItsGivenSeconds) {
  Link link(3);
  EXPECT_EQ(link.link.next_end(), Clock::time_point::max());
  link.begin(1, 2, 0.5);
  EXPECT_EQ(link.link.next_end(), at(2.5));
  EXPECT_EQ(link.end(1, 2.499), -1);
  EXPECT_NEAR(link.end(1, 2.5), 2.5, 1e-9);
  EXPECT_EQ(link.link.next_end(), Clock::time_point::max());
}

TEST(ReplayLink, NEqualTransfersTakeNTimesAsLong) {
  for (std::size_t n = 1; n <= 4; ++n) {
    Link link(n);
    for (std::size_t lane = 0; lane < n; ++lane) link.begin(lane, 1, 0.25);
    for (std::size_t lane = 0; lane < n; ++lane)
      EXPECT_NEAR(link.end(lane, 9), 1 + 0.25 * static_cast<double>(n), 4e-9) << n;
  }
}

// Three transfers share the link until 1 + 3 x 1 s, then two until 4 + 2 x 1 s, then one until 6 + 2 s.
TEST(ReplayLink, ATransferSpeedsUpWhenAnotherTransferEnds) {
  Link link(3);
  link.begin(0, 1, 4);
  link.begin(1, 1, 1);
  link.begin(2, 1, 2);
  EXPECT_NEAR(link.end(1, 9), 4, 4e-9);
  EXPECT_NEAR(link.end(2, 9), 6, 4e-9);
  EXPECT_NEAR(link.end(0, 9), 8, 4e-9);
}

// Lane 0 has done 2 of 3 s when lane 1 begins. The last second of lane 0 takes 2 s. Lane 1 has then done 1 of
// 3 s.
TEST(ReplayLink, ANewTransferDelaysTheEndOfARunningTransfer) {
  Link link(2);
  link.begin(0, 0, 3);
  EXPECT_EQ(link.link.next_end(), at(3));
  EXPECT_EQ(link.end(0, 2), -1);
  link.begin(1, 2, 3);
  EXPECT_EQ(link.link.next_end(), at(4));
  EXPECT_EQ(link.end(0, 3.5), -1);
  EXPECT_NEAR(link.end(0, 4), 4, 4e-9);
  EXPECT_EQ(link.link.next_end(), at(6));
  EXPECT_NEAR(link.end(1, 6), 6, 4e-9);
}

// The transfers of the test above, but both begins are reported at 5 s, in the other order.
TEST(ReplayLink, BeginsMayBeReportedLateAndInAnyOrder) {
  Link link(2);
  link.begin(1, 2, 3);
  link.begin(0, 0, 3);
  EXPECT_NEAR(link.end(0, 5), 4, 4e-9);
  EXPECT_EQ(link.end(1, 5), -1);
  EXPECT_NEAR(link.end(1, 6), 6, 4e-9);
}

// The transfer of lane 1 ends first. Lane 1 may then begin another transfer, which would delay the end of
// lane 0. So this end becomes final only after lane 1 has asked for its own end.
TEST(ReplayLink, EndsBecomeFinalInTheOrderOfTime) {
  Link link(2);
  link.begin(0, 0, 3);
  link.begin(1, 0, 1);
  EXPECT_EQ(link.end(0, 100), -1);
  EXPECT_NEAR(link.end(1, 100), 2, 4e-9);
  link.begin(1, 2, 5);  // 2 s of lane 0 are left, which take 4 s
  EXPECT_NEAR(link.end(0, 100), 6, 4e-9);
  EXPECT_NEAR(link.end(1, 100), 9, 4e-9);
}

// The end of lane 0, at 3 s, is final. So the transfer of lane 1, which is reported too late, gets the link
// only from 3 s on.
TEST(ReplayLink, ATransferReportedTooLateGetsTheLinkAfterTheFinalEnd) {
  Link link(2);
  link.begin(0, 0, 3);
  EXPECT_NEAR(link.end(0, 3), 3, 1e-9);
  link.begin(1, 2, 3);
  EXPECT_NEAR(link.end(1, 9), 6, 1e-9);  // the same end as if the link had been shared from 2 s on
}

TEST(ReplayLink, RefusesASecondTransferOfALane) {
  Link link(1);
  EXPECT_THROW(link.link.ends_by(0, at(1)), std::logic_error);
  link.begin(0, 0, 3);
  EXPECT_THROW(link.begin(0, 1, 3), std::logic_error);
}

// Each engine has a thread that waits. The collectives start in 50 ms, so both threads wait by then.
TEST(ReplayLink, EnginesInTwoThreadsShareOneLink) {
  const auto link = std::make_shared<ReplayLink>();
  const CollectiveCost cost = [](model::Verb, std::int64_t bytes) { return 1e-3 * double(bytes); };
  ReplayEngine shorter(cost, 1, link), longer(cost, 1, link);
  const auto start = Clock::now() + std::chrono::milliseconds(50);
  shorter.begin(all_reduce({0, 5}), {start});  // 20 bytes: 20 ms
  longer.begin(all_reduce({0, 10}), {start});
  std::thread thread([&] { shorter.wait(0, [] { return true; }); });
  longer.wait(0, [] { return true; });
  thread.join();
  EXPECT_NEAR(seconds_between(start, shorter.last().end), 40e-3, 1e-8);
  EXPECT_NEAR(seconds_between(start, longer.last().end), 60e-3, 1e-8);
  EXPECT_EQ(longer.last().start, start);
}

constexpr std::size_t ranks = 8;

/// A sharded step of a small GPT-2, and the costs of its tasks. `links` gives the link of each lane; if it is
/// empty, all communication lanes share one link.
struct Sharded {
  model::RankGraphs graphs;
  model::StepCosts costs;

  explicit Sharded(model::Strategy strategy, std::map<model::Lane, std::size_t> const& links = {}) {
    const auto shape = model::find_preset("tiny");
    const auto pass = model::backward_pass(shape);
    std::vector<std::int64_t> bytes;
    for (auto const& gradient : pass.gradients) bytes.push_back(4 * gradient.numel);
    strategy.optimizer = model::Optimizer::adamw;
    strategy.ddp.plan = model::bucketed_plan(bytes, std::vector<std::int64_t>{65536});
    graphs = model::whole_step(pass, model::forward_pass(shape), 48, strategy, ranks);
    const auto phases = model::modelled_phases(shape, pass, {2, 24}, {1e10, 1e10}, 4, strategy.clipped);
    model::CostModel model{.seconds = [&](std::size_t, model::Task const& task) {
      auto const* compute = std::get_if<model::Compute>(&task.work);
      return compute ? model::task_seconds(phases, *compute, 5000) : 0.0;
    }};
    model.collectives.set(model::Verb::all_reduce, model::AlphaBeta{2e-4, 0.5e9});
    model.links = links;
    costs = model::step_costs(graphs, model);
  }
  model::StepGraph const& graph() const { return graphs.classes.front().graph; }
  model::StepTraces simulated() const { return model::simulate(graphs, costs); }
};

/// Plays the step of rank 0 in simulated time. A compute task takes the seconds of its cost, and each
/// communication lane is a lane of one ReplayLink.
class Played {
 public:
  explicit Played(Sharded const& step) : step_(step), times_(step.graph().tasks.size()) {
    auto const& tasks = step.graph().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) queues_[tasks[t].lane].tasks.push_back(t);
    for (auto& [lane, queue] : queues_)
      if (lane.kind == model::LaneKind::communication) queue.link = link_.add_lane();
  }
  struct Times {
    Clock::time_point start{}, end{};
    bool over = false;
  };
  std::vector<Times> const& run() {
    while (over_ < times_.size()) {
      for (auto& [_, queue] : queues_) begin(queue);
      auto now = link_.next_end();
      for (auto& [lane, queue] : queues_)
        if (queue.runs && lane.kind != model::LaneKind::communication)
          now = std::min(now, times_[queue.task()].end);
      if (now == Clock::time_point::max()) throw std::logic_error("no task can end");
      for (auto& [lane, queue] : queues_) finish(lane, queue, now);
    }
    return times_;
  }

 private:
  struct Queue {
    std::vector<std::size_t> tasks = {};
    std::size_t next = 0, link = 0;
    bool runs = false;
    Clock::time_point free = zero;
    std::size_t task() const { return tasks[next]; }
  };
  void begin(Queue& queue) {
    if (queue.runs || queue.next == queue.tasks.size()) return;
    auto& times = times_[queue.task()];
    times.start = queue.free;
    for (const auto before : step_.graph().tasks[queue.task()].after) {
      if (!times_[index(before)].over) return;
      times.start = std::max(times.start, times_[index(before)].end);
    }
    auto const& cost = step_.costs.tasks.front()[queue.task()];
    queue.runs = true;
    times.end = at(seconds_between(zero, times.start) + cost.seconds);
    if (cost.resource == model::Resource::link) link_.begin(queue.link, times.start, cost.seconds);
  }
  void finish(model::Lane lane, Queue& queue, Clock::time_point now) {
    if (!queue.runs) return;
    auto& times = times_[queue.task()];
    if (lane.kind == model::LaneKind::communication) {
      const auto end = link_.ends_by(queue.link, now);
      if (!end) return;
      times.end = *end;
    } else if (times.end > now) {
      return;
    }
    times.over = true;
    queue.free = times.end;
    queue.runs = false;
    ++queue.next;
    ++over_;
  }

  Sharded const& step_;
  std::vector<Times> times_;
  std::map<model::Lane, Queue> queues_;
  ReplayLink link_;
  std::size_t over_ = 0;
};

std::vector<model::Strategy> several_lanes() {
  using model::ShardStage;
  return {{.sharding = {.stage = ShardStage::fsdp, .group = 4}},
          {.micro_batches = 2, .clipped = true, .sharding = {.stage = ShardStage::fsdp, .group = 2}},
          {.sharding = {.stage = ShardStage::fsdp, .prefetch = 2, .lanes = 2}},
          {.clipped = true, .sharding = {.stage = ShardStage::fsdp, .group = 4, .lanes = 2}},
          {.sharding = {.stage = ShardStage::zero1, .lanes = 2}},
          {.micro_batches = 3, .clipped = true, .sharding = {.stage = ShardStage::zero2, .lanes = 2}}};
}

/// Returns the number of a link for each lane of a step. No two lanes have the same link.
std::map<model::Lane, std::size_t> own_links(model::StepGraph const& graph) {
  std::map<model::Lane, std::size_t> links;
  for (auto const& task : graph.tasks) links.try_emplace(task.lane, links.size());
  return links;
}

TEST(ReplayLink, EveryTaskHasTheTimesOfTheSimulation) {
  double most_slowed = 1;
  for (auto const& strategy : several_lanes()) {
    const Sharded step(strategy);
    const auto simulated = step.simulated();
    auto const& expected = simulated.classes.front().trace;
    Played played(step);
    auto const& times = played.run();
    ASSERT_EQ(times.size(), expected.tasks.size());
    for (std::size_t t = 0; t < times.size(); ++t) {
      const auto what = model::describe(step.graph().tasks[t]);
      ASSERT_NEAR(seconds_between(zero, times[t].start), expected.tasks[t].start, 1e-6) << what;
      ASSERT_NEAR(seconds_between(zero, times[t].end), expected.tasks[t].end, 1e-6) << what;
    }
    const Sharded apart(strategy, own_links(step.graph()));
    most_slowed = std::max(most_slowed, simulated.end() / apart.simulated().end());
  }
  EXPECT_GT(most_slowed, 1.05);  // otherwise the lanes would hardly use the link at the same time
}

}  // namespace
}  // namespace ddproxy
