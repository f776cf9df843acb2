// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/step_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "kernels/gemm.hpp"
#include "miniapp/app/provenance.hpp"
#include "miniapp/app/step_tables.hpp"
#include "miniapp/compute/step_lane.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/device/device_choice.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/machine/clock_probe.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/choose_calls.hpp"
#include "miniapp/measure/step/verify_context.hpp"
#include "miniapp/predict/step_prediction.hpp"
#include "model/predict/graph/live_memory.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/step/describe.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

model::Contention contention_of_runs(std::vector<ContentionSample> const& runs) {
  std::vector<model::SpeedSamples> speeds;
  for (auto const& run : runs) speeds.push_back(samples_of(run));
  return model::contention_of(speeds);
}

void warn(std::string const& doubt) {
  if (!doubt.empty()) results::say_error("warning: " + doubt);
}

void check_right(std::vector<SizeTimes> const& times) {
  for (auto const& size : times)
    if (size.wrong > 0)
      throw WrongNumbers(fmt::format("{} of {} bytes: {} wrong elements over all ranks",
                                     model::name_of(size.verb), size.bytes, size.wrong));
}

// Returns the time of each task without communication in seconds, [task].
std::vector<double> seconds_of(model::StepCosts const& costs) {
  std::vector<double> seconds;
  for (auto const& task : costs.tasks.front()) seconds.push_back(task.seconds);
  return seconds;
}

}  // namespace

StepSession::StepSession(Options const& options, StepContext context, EarlierRounds earlier)
    : options_(options), context_(std::move(context)), earlier_(std::move(earlier)), meter_(context_) {
  auto& rank = context_.rank;
  const auto provenance = gather_provenance(rank);
  figures_.ranks = rank.ranks();
  warn(doubt_about_visible_devices(provenance.visible.count, provenance.host, provenance.uuid));
  rank.runtime.together([&] {
    if (!root()) return;
    recorder_.emplace(options, rank.config);
    recorder_->resumed(earlier_);
    recorder_->provenance(provenance);
    recorder_->model(rank.config, rank.workload);
    recorder_->step_settings(rank.config, context_.cap_mib, rank.ranks());
    recorder_->plans({context_.asked.ddp.plan});
    recorder_->flush();
    for (auto const& warning : recorder_->warnings()) results::say_error("warning: " + warning);
    if (!needs_arena(rank.config)) return;  // a twin uses none of this machine's cores
    oversubscribed_ = provenance.threads.oversubscribed;
    if (!provenance.threads.line.empty()) results::print_output(provenance.threads.line + "\n");
    for (auto const& warning : provenance.threads.warnings) results::say_error("warning: " + warning);
    if (context_.kernels) warn(kernels::gemm_advice());
  });
  read_clocks();
}

// Reads the clocks of the GPUs before the run.
void StepSession::read_clocks() {
  auto const& rank = context_.rank;
  if (on_device && rank.reduces())
    gpu_ = make_clock_probe(rank.runtime, describe_device(rank.runtime.device()).pci_bus);
  clocks_before_ = gather_clocks(rank.runtime, gpu_.get());
  warn(doubt_about_power_caps(clocks_before_));
}

void StepSession::say(std::string const& progress) const {
  note_step(progress);
  if (root() && isatty(STDERR_FILENO)) results::say_error(fmt::format("ddproxy: {}", progress));
}

void StepSession::initialise() {
  if (context_.kernels) context_.kernels->initialise(step_seed);
}

void StepSession::first_step() {
  say("taking the first step");
  initialise();
  first_.phases = meter_.step();
}

void StepSession::calibrate() {
  choose_calls(context_.rank, context_.lanes().size());
  context_.make_lanes();
  say("timing the all-reduces alone");
  if (root()) results::print_output(describe(context_.rank.choice));
  tables_ = calibrate_step(context_);
  context_.rank.runtime.together([&] {
    check_right(tables_.allreduce);
    for (auto const& verb : tables_.verbs) check_right(verb.times);
  });
  if (!root()) return;
  if (context_.rank.reduces()) {
    recorder_->allreduce(tables_.allreduce, context_.rank.ranks());
    for (char const* group : {"/allreduce", "/step"}) recorder_->call(group, context_.rank);
    recorder_->allreduce_figures(tables_.allreduce, context_.rank.ranks());
    record_verbs();
  }
  recorder_->calibration(tables_.contention);
  recorder_->flush();
}

void StepSession::verify() {
  say("verifying the step");
  auto const& rank = context_.rank;
  const auto complaints = rank.runtime.gather(verify_step(context_));
  rank.runtime.together([&] {
    if (!root()) return;
    const auto wrong = std::ranges::find_if_not(complaints, &std::string::empty);
    figures_.verified = wrong == complaints.end();
    recorder_->step_verified(figures_.verified);
    recorder_->flush();
    if (!figures_.verified)
      throw WrongNumbers(fmt::format("verification of the step (sharding {}) failed: {}",
                                     sharding_text(rank.config.sharding), *wrong));
    report_ += verification_text(rank.reduces(), rank.ranks());
  });
}

void StepSession::warm_up() {
  say("warming up");
  initialise();
  figures_.steps = std::max(1, context_.rank.config.warmup);
  for (int i = 0; i < figures_.steps; ++i) meter_.step();
  figures_.loss = meter_.loss();
  const bool equal = meter_.equal_parameters();
  context_.rank.runtime.together([&] {
    if (context_.kernels && !std::isfinite(figures_.loss))
      throw WrongNumbers(fmt::format("the loss after {} steps is {}, but it must be a finite number",
                                     figures_.steps, figures_.loss));
    if (!equal)
      throw WrongNumbers(
          fmt::format("after {} steps the parameters differ between the ranks, or one of them is not finite",
                      figures_.steps));
  });
}

// Returns a(x), the cost of an all-reduce of x bytes on the wire. It is the measured table, or the input's
// table if all-reduces are replayed.
model::TableCost StepSession::table() const {
  auto const& rank = context_.rank;
  return rank.reduces() ? model::TableCost(to_table(tables_.allreduce)) : input_cost(rank.config).value();
}

// Returns the costs of a step. `seconds` has the measured time of each task without communication; it is not
// used if compute is replayed.
model::StepCosts StepSession::costs_of(model::RankGraphs const& step, std::vector<double> const& seconds,
                                       model::Contention const& contention) const {
  auto const& rank = context_.rank;
  const auto collectives = collective_costs().costs;
  if (context_.kernels) return model::measured_step_costs(step, seconds, collectives, contention);
  return model::whole_step_costs(step, rank.workload.pass, *context_.phases, collectives, contention,
                                 rank.copies);
}

// Returns the costs of the step's collectives, as functions of the bytes of elements in fp32.
VerbCosts StepSession::collective_costs() const {
  auto const& rank = context_.rank;
  if (context_.own_lanes.empty()) {
    VerbCosts one;
    one.costs.set(model::Verb::all_reduce, of_gradients(table(), rank.workload.wire));
    return one;
  }
  return verb_costs(context_.graphs, rank.reduces() ? tables_.measured() : replayed_tables(rank.config));
}

// Returns the time of each task without communication in seconds, [task]. Returns an empty list for a replay,
// because the times of its tasks are known.
std::vector<double> StepSession::time_tasks() {
  if (!context_.kernels) return {};
  say("timing the tasks of the step alone");
  for (int i = 0; i < std::max(3, context_.rank.config.samples); ++i) {
    stop_where_signalled(context_.rank.runtime);
    meter_.alone();
  }
  return meter_.task_seconds();
}

void StepSession::predict() {
  auto const& rank = context_.rank;
  const auto seconds = time_tasks();
  if (!root()) return;
  const auto step = costed_step_of(rank.config, context_.asked, static_cast<std::size_t>(rank.ranks()));
  for (auto const& warning : collective_costs().warnings) warn(warning);
  const auto costs = costs_of(step, seconds, {});
  auto const& graph = step.classes.front().graph;
  predictions_.uncontended = model::whole_step_time(step, costs);
  predictions_.contended =
      model::whole_step_time(step, costs_of(step, seconds, contention_of_runs(tables_.contention)));
  if (!context_.kernels)
    hypothetical_ = hypothetical_note(
        {model::live_memory(graph, predictions_.contended.trace).peak, rank.config.device_memory});
  figures_.kinds = kind_seconds(graph, rank.workload.pass, seconds_of(costs));
  recorder_->step_kinds(figures_.kinds);
  recorder_->cost_table(table().table());
  recorder_->flush();
}

void StepSession::sample() {
  auto const& rank = context_.rank;
  const int samples = rounds_to_take(rank.config);
  if (root()) recorder_->reserve_step_samples(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    stop_where_signalled(rank.runtime);
    say(fmt::format("measuring steps, sample {} of {}", i + 1, samples));
    StepSample sample;
    if (i % 2 == 0) sample.alone = meter_.alone();
    sample.phases = meter_.step();
    if (i % 2 == 1) sample.alone = meter_.alone();
    keep(i, sample);
  }
}

// Records one sample. Rank 0 may then write the file while the other ranks wait.
void StepSession::keep(int index, StepSample const& sample) {
  context_.rank.runtime.together([&] {
    if (!root()) return;
    recorder_->step_sample(static_cast<std::size_t>(index), sample);
    recorder_->flush_if_due();
  });
}

}  // namespace ddproxy
