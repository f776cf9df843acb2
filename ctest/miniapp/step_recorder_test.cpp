// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Tests what the recorder stores of whole steps (plans, timelines, lanes, live buffers), and the size of the
// file.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/predict/analysis/step_lanes.hpp"
#include "model/predict/graph/live_memory.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/step/describe.hpp"
#include "results/file/reader.hpp"
#include "results/file/schema.hpp"

namespace ddproxy {
namespace {

using results::Reader;

/// A step of an input, recorded for several processes. Task t lasts from t to t + 1 seconds. By the
/// prediction it starts 0.5 s earlier and lasts `predicted_seconds`.
class RecordedStep {
  Folder folder_;  // first: the members below are made from its files

 public:
  explicit RecordedStep(std::string const& input, std::size_t processes, double predicted_seconds = 1)
      : config(read_config(folder_.file("input.toml", input))), workload(make_workload(config)) {
    const auto step = step_to_run(config, workload);
    plan = step.ddp.plan;
    graph = whole_step_of(config, step, 2).classes.front().graph;
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
      const auto start = static_cast<double>(t);
      trace.tasks.push_back({start, start, start + 1});
      predicted.tasks.push_back({start - 0.5, start - 0.5, start - 0.5 + predicted_seconds});
    }
    path = folder_.file("r.h5", "");
    Options options;
    options.output = path;
    Recorder recorder(options, config);
    recorder.model(config, workload);
    recorder.plans({plan});
    recorder.timeline(workload, {{graph, std::vector(processes, trace), predicted}});
    recorder.step_lanes(step_lanes(model::summarise(graph, trace), model::summarise(graph, predicted)));
    recorder.finish({});
  }

  Config config;
  Workload workload;
  model::Plan plan;
  model::StepGraph graph;
  model::StepTrace trace, predicted;
  std::filesystem::path path;
};

std::string input(std::string const& model, std::string const& more = "") {
  return "[model]\npreset = \"" + model + "\"\n[step]\nbatch = 2\nsequence = 32\naccumulation = 2\n" + more +
         "[optimizer]\nclip = 1.0\n[allreduce]\nbackend = \"mpi\"\n[sweep]\ncaps_mib = [0.1]\n";
}

/// Returns the numbers of the tasks that are events of the timeline. In a device build some tasks are waits
/// of the host for MPI. These tasks are no events.
std::vector<std::size_t> events_of(model::StepGraph const& graph) {
  std::vector<std::size_t> events;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    if (!std::holds_alternative<model::HostWait>(graph.tasks[t].work)) events.push_back(t);
  return events;
}

/// Returns the values of the tasks that are events. `of_tasks` has a value for each task.
std::vector<std::int64_t> of_events(RecordedStep const& step, std::vector<std::int64_t> const& of_tasks) {
  std::vector<std::int64_t> values;
  for (const std::size_t t : events_of(step.graph)) values.push_back(of_tasks[t]);
  return values;
}

TEST(StepRecorder, StoresEveryTaskOfEveryProcess) {
  const RecordedStep step(input("tiny", "checkpoint = \"layer\"\n"), 2);
  const Reader file(step.path);
  const auto events = events_of(step.graph);
  ASSERT_EQ(file.integers("/timeline/count"), std::vector{static_cast<std::int64_t>(2 * events.size())});
  const auto start = file.reals("/timeline/start"), predicted = file.reals("/timeline/predicted_start");
  const auto end = file.reals("/timeline/end"), predicted_end = file.reals("/timeline/predicted_end");
  for (std::size_t t = 0; t < 2 * events.size(); ++t) {
    EXPECT_EQ(start[t], static_cast<double>(events[t % events.size()]));
    EXPECT_EQ(end[t] - start[t], 1);
    EXPECT_EQ(start[t] - predicted[t], 0.5);
    EXPECT_EQ(predicted_end[t] - predicted[t], 1);
    EXPECT_EQ(file.integers("/timeline/event_rank")[t], t < events.size() ? 0 : 1);
  }
}

TEST(StepRecorder, NamesTheTasks) {
  const RecordedStep step(input("tiny", "checkpoint = \"layer\"\nsync = \"each\"\n"), 1);
  const Reader file(step.path);
  const auto labels = file.texts("/timeline/label"), phases = file.texts("/timeline/phase");
  const auto resources = file.texts("/timeline/resource");
  const auto count = [](auto const& texts, std::string const& text) {
    return static_cast<std::size_t>(std::ranges::count(texts, text));
  };
  EXPECT_TRUE(labels.front().starts_with("forward embedding.") && labels.front().ends_with(", micro-batch 0"))
      << labels.front();
  EXPECT_EQ(count(labels, "backward lm_head, micro-batch 1"), 1U);
  EXPECT_EQ(count(labels, "backward lm_head, micro-batch 2"), 0U);
  // Both micro-batches reduce the same buckets. Each bucket is added to the norm and updated once.
  const std::string last = "bucket " + std::to_string(step.plan.size() - 1);
  EXPECT_EQ(count(labels, "all_reduce, " + last), 2U);
  EXPECT_EQ(count(labels, "all_reduce, bucket " + std::to_string(step.plan.size())), 0U);
  EXPECT_EQ(count(labels, "norm, " + last), 1U);
  EXPECT_EQ(count(labels, "update, " + last), 1U);
  EXPECT_EQ(count(phases, "all_reduce"), 2 * step.plan.size());
  EXPECT_EQ(count(resources, "communication"), 2 * step.plan.size());
  for (char const* phase : {"forward", "recompute", "backward", "norm", "update"})
    EXPECT_GT(count(phases, phase), 1U) << phase;
}

// With two lanes the gathers are on lane 1. A unit has the same number in every label.
TEST(StepRecorder, NamesTheUnitsOfAShardedStep) {
  const RecordedStep step(input("tiny", "[shard]\nstage = \"fsdp\"\nlanes = 2\n"), 1);
  const Reader file(step.path);
  const auto labels = file.texts("/timeline/label"), phases = file.texts("/timeline/phase");
  const auto resources = file.texts("/timeline/resource");
  const auto count = [](auto const& texts, std::string const& text) {
    return static_cast<std::size_t>(std::ranges::count(texts, text));
  };
  const std::size_t units = count(phases, "update");
  ASSERT_GT(units, 2U);
  for (std::size_t u = 0; u < units; ++u) {
    const std::string unit = "unit " + std::to_string(u);
    EXPECT_GE(count(labels, "all_gather, " + unit), 2U) << unit;  // at least one for each micro-batch
    EXPECT_EQ(count(labels, "reduce_scatter, " + unit), 2U) << unit;
    EXPECT_EQ(count(labels, "update, " + unit), 1U) << unit;
  }
  EXPECT_EQ(count(phases, "reduce_scatter"), 2 * units);
  EXPECT_EQ(count(labels, "all_reduce, norm"), 1U);
  EXPECT_EQ(count(resources, "communication"), 2 * units + 1);
  EXPECT_EQ(count(resources, "communication 1"), count(phases, "all_gather"));
}

// Each task takes 1 s, and each predicted task 0.5 s. So the predicted step ends 1 s earlier.
TEST(StepRecorder, StoresTheBusyTimeOfEachLaneAndTheBubble) {
  const RecordedStep step(input("tiny", "[shard]\nstage = \"fsdp\"\nlanes = 2\n"), 1, 0.5);
  const Reader file(step.path);
  const auto lanes = file.texts("/step/lane"), resources = file.texts("/timeline/resource");
  const auto busy = file.reals("/step/lane_busy"), predicted = file.reals("/step/predicted_lane_busy");
  ASSERT_EQ(lanes, (std::vector<std::string>{"compute", "communication", "communication 1"}));
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const auto tasks = static_cast<double>(std::ranges::count(resources, lanes[k]));
    EXPECT_GT(tasks, 1) << lanes[k];
    EXPECT_EQ(busy.at(k), tasks) << lanes[k];
    EXPECT_EQ(predicted.at(k), 0.5 * tasks) << lanes[k];
  }
  const auto end = static_cast<double>(step.graph.tasks.size());
  EXPECT_EQ(file.reals("/step/bubble"), std::vector{end - busy[0]});
  EXPECT_EQ(file.reals("/step/predicted_bubble"), std::vector{end - 1 - predicted[0]});
}

TEST(StepRecorder, TheSchemaNamesEveryPhase) {
  const std::string meaning(results::find_dataset("/timeline/phase")->long_name);
  for (const auto verb : model::all_verbs)
    EXPECT_NE(meaning.find(model::name_of(verb)), std::string::npos) << model::name_of(verb);
  for (int p = 0; p <= static_cast<int>(model::Phase::update); ++p) {
    const auto name = model::name_of(static_cast<model::Phase>(p));
    EXPECT_NE(meaning.find(name), std::string::npos) << name;
  }
}

TEST(StepRecorder, StoresThePlan) {
  const RecordedStep step(input("tiny"), 1);
  const Reader file(step.path);
  const auto bytes = file.integers("/plans/bytes"), last = file.integers("/plans/last_gradient");
  ASSERT_EQ(bytes.size(), step.plan.size());
  EXPECT_GT(bytes.size(), 2U);
  EXPECT_EQ(file.integers("/plans/first"), std::vector<std::int64_t>{0});
  EXPECT_EQ(file.integers("/plans/count"), std::vector{std::ssize(step.plan)});
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}), step.workload.bytes());
  EXPECT_EQ(last.back(), std::ssize(step.workload.pass.gradients) - 1);
}

TEST(StepRecorder, StoresTheLiveBuffersOfTheGraph) {
  const RecordedStep step(input("tiny"), 1);
  const Reader file(step.path);
  const auto memory = model::live_memory(step.graph, step.trace);
  EXPECT_EQ(file.integers("/timeline/live_bytes_start"), of_events(step, memory.during));
  EXPECT_EQ(file.integers("/timeline/live_bytes_end"), of_events(step, memory.after));
  EXPECT_EQ(file.integers("/memory/live_peak"), std::vector{memory.peak});
  const auto kinds = file.texts("/memory/kind");
  const auto at_peak = file.integers("/memory/kind_at_peak"), peak = file.integers("/memory/kind_peak");
  EXPECT_EQ(std::accumulate(at_peak.begin(), at_peak.end(), std::int64_t{0}), memory.peak);
  const auto bytes_of = [&](std::string const& kind) {
    return peak.at(static_cast<std::size_t>(std::ranges::find(kinds, kind) - kinds.begin()));
  };
  EXPECT_EQ(bytes_of("parameter"), step.workload.bytes());
  EXPECT_EQ(bytes_of("gradient"), step.workload.bytes());
  EXPECT_EQ(bytes_of("optimizer_state"), 2 * step.workload.bytes());
  EXPECT_GT(bytes_of("activation"), 0);
}

// In the prediction three tasks run at the same time, so that buffers are released later.
TEST(StepRecorder, StoresThePredictedLiveBuffersOfEveryProcess) {
  const RecordedStep step(input("tiny"), 2, 3);
  const Reader file(step.path);
  const auto memory = model::live_memory(step.graph, step.predicted);
  ASSERT_NE(memory.during, model::live_memory(step.graph, step.trace).during);
  const auto twice = [](std::vector<std::int64_t> const& values) {
    auto both = values;
    both.insert(both.end(), values.begin(), values.end());
    return both;
  };
  EXPECT_EQ(file.integers("/timeline/predicted_live_bytes_start"), twice(of_events(step, memory.during)));
  EXPECT_EQ(file.integers("/timeline/predicted_live_bytes_end"), twice(of_events(step, memory.after)));
}

// The predicted memory for recording counts the file twice, so the predicted size must be right.
TEST(StepRecorder, WritesAFileOfThePredictedSize) {
  constexpr int processes = 64;
  const RecordedStep step(input("gpt2"), processes);
  const auto size = static_cast<double>(std::filesystem::file_size(step.path));
  const auto predicted = step_results_file_bytes(step.config, step.workload, step.graph, processes);
  EXPECT_LT(size, predicted);
  EXPECT_GT(size, 0.7 * predicted);
  EXPECT_GE(step_results_memory(step.config, step.workload, step.graph, processes), 2 * size);
}

}  // namespace
}  // namespace ddproxy
