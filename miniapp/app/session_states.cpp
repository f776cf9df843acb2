// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/app/session.hpp"
#include "miniapp/app/tables.hpp"
#include "miniapp/measure/calibration/handover.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

// If the machine has more states than this, measure_missing_tables() measures nothing.
constexpr std::size_t most_states = 16;

// Returns one time in seconds for each sample of a case, with the probes of the sample. It is the time of the
// case's all-reduces without compute, which are measured right after the sample.
model::ProbedTimes quantity_of(std::vector<Sample> const& samples) {
  model::ProbedTimes quantity;
  for (auto const& sample : samples) {
    quantity.probes.before.push_back(sample.probe_before);
    quantity.probes.after.push_back(sample.probe_after);
    quantity.seconds.push_back(sample.communication_alone());
  }
  return quantity;
}

}  // namespace

// Derives the states of the machine from all probes so far.
model::MachineStates Session::find_states(std::vector<SizeTimes> const& sizes) const {
  std::vector<double> of_sweep;
  auto quantities = quantities_of(sizes);
  for (auto const& samples : recorder_->samples()) {
    quantities.push_back(quantity_of(samples));
    for (auto const& sample : samples)
      of_sweep.insert(of_sweep.end(), {sample.compute_probe_before, sample.compute_probe_after,
                                       sample.probe_before, sample.probe_after});
  }
  model::MachineStates states(
      {probes_of(recorder_->passes()), probes_of(sizes), probes_of(recorder_->runs()), std::move(of_sweep)},
      quantities);
  if (context_.probe) states.use(context_.probe->words());
  return states;
}

OperationTimes Session::operations_of_state() const {
  auto passes = recorder_->passes();
  return state_ ? in_state(states_, *state_, std::move(passes)) : passes;
}

std::vector<SizeTimes> Session::of_state(std::vector<SizeTimes> sizes) const {
  return state_ ? in_state(states_, *state_, std::move(sizes)) : sizes;
}

std::vector<ContentionSample> Session::runs_of_state() const {
  auto runs = recorder_->runs();
  if (state_) runs = in_state(states_, *state_, std::move(runs));
  for (auto& run : runs) run.call_seconds = cost()(run.bytes);
  return runs;
}

double Session::handover_of_state() const {
  return handover_seconds(of_state({recorder_->handovers()}).front());
}

std::vector<Sample> Session::samples_of_state(std::vector<Sample> const& of_case) const {
  return samples_that_count(states_, state_, of_case);
}

// Returns the samples of each case that would count if the sweep ended now. During the sweep, states_ and
// state_ still describe the machine before the sweep. So this function derives the states anew.
std::vector<std::vector<Sample>> Session::samples_that_count_now(
    std::vector<std::vector<Sample>> const& taken) const {
  if (!context_.probe) return taken;
  const auto states = find_states(recorder_->sizes());
  const auto scored = tell_states(states, taken).scored;
  auto counted = taken;
  for (auto& of_case : counted) of_case = samples_that_count(states, scored, of_case);
  return counted;
}

SweepStates Session::sweep_states() const {
  return tell_states(states_, recorder_->samples());
}

// Chooses the state whose samples make up the tables, before a sweep or without one. Leaves state_ empty if
// no state has enough samples of each message size.
void Session::settle_tables(std::vector<SizeTimes> const& sizes) {
  states_ = find_states(sizes);
  state_ = state_with_table(states_, sizes);
}

void Session::warn_of_mixed_states() const {
  const auto left = [&](std::string_view what) {
    results::say_error(fmt::format(
        "warning: the machine left the state {} (docs/glossary.md) before {} were measured often enough. "
        "Where this state has no samples, the prediction uses those of other states. To make the "
        "prediction more certain, end other programs and repeat the run",
        states_.name(*state_), what));
  };
  if (!state_)
    results::say_error(
        "warning: the speed of the machine changes too often, so no state of the machine "
        "(docs/glossary.md) lasted long enough to measure the all-reduces of all sizes in it. The all-reduce "
        "times mix the states, so the prediction is less certain; end other programs, or take more samples");
  else if (!has_table(states_, *state_, recorder_->runs()))
    left("the speeds of compute and all-reduces that run at the same time (kappa and gamma)");
  if (state_ && !has_table(states_, *state_, recorder_->passes())) left("the operations");
}

// Chooses the state whose samples give the results: the state with the most samples of the sweep. Predicts
// the sweep from the tables that were measured in this state. Withdraws the prediction if too few all-reduces
// were measured in this state. Does nothing if the machine has had only one state.
void Session::settle_sweep() {
  const bool had_one = states_.count() == 1;
  states_ = find_states(recorder_->sizes());
  if (had_one && states_.count() == 1) return;
  state_ = sweep_states().scored;
  if (!predicted_) return;
  if (!state_ || has_table(states_, *state_, recorder_->sizes())) return predict_again();
  withdraw_prediction();
  why_not_predicted_ = fmt::format(
      "most of the sweep ran in the state {}, but too few all-reduces were measured in this state. So there "
      "is no prediction to score; repeat the run",
      states_.name(*state_));
  results::say_error("warning: " + why_not_predicted_);
}

void Session::withdraw_prediction() {
  predicted_ = false;
  cost_.reset();
  floor_ = not_available;
  for (auto& report : reports_) {
    report.predicted = {};
    report.predicted.total = report.predicted_compute = report.uncontended = not_available;
  }
  uncertainty_.assign(reports_.size(), {});
  recorder_->predictions(reports_, floor_);
  recorder_->uncertainty(uncertainty_);
}

// Returns the samples of the calibration that the file holds.
Tables Session::recorded_tables() const {
  return {recorder_->passes(), recorder_->sizes(), recorder_->runs()};
}

// Measures the tables of the state in which most of the sweep ran, if they are missing. They are missing if
// the machine was not in this state before the sweep, or only for a short time. Tables from after the sweep
// are a fair input of the prediction, because they contain no measurement of a case.
void Session::measure_missing_tables() {
  if (!context_.probe || !predicted_) return;
  std::vector<std::int64_t> message(2, -1);  // state to measure, number of limits
  std::vector<double> limits(most_states);
  if (root()) {
    const Tables recorded = recorded_tables();
    const auto states = find_states(recorded.sizes);
    const auto scored = tell_states(states, recorder_->samples()).scored;
    if (scored && states.count() <= most_states && !has_tables(states, *scored, recorded)) {
      message[0] = static_cast<std::int64_t>(*scored);
      message[1] = static_cast<std::int64_t>(states.limits().size());
      std::ranges::copy(states.limits(), limits.begin());
    }
  }
  context_.runtime.broadcast(message);
  if (message[0] < 0) return;
  context_.runtime.broadcast(limits);
  limits.resize(static_cast<std::size_t>(message[1]));
  if (root()) calibration_ = with_samples_of(calibration_, recorded_tables());
  const auto states = model::MachineStates::between(limits);
  say("measuring the tables of the state that prevailed in the sweep");
  complete_tables(context_, calibration_, states, static_cast<std::size_t>(message[0]),
                  seconds_after_sweep(table_seconds_));
  if (!root()) return;
  recorder_->later(behind(calibration_, recorded_tables()));
  recorder_->flush();
}

bool Session::has_tables(model::MachineStates const& states, std::size_t state, Tables const& tables) {
  return has_table(states, state, tables.sizes) && has_table(states, state, tables.runs) &&
         has_table(states, state, tables.operations);
}

// Predicts again, from the samples of the tables that were taken in the state `state_`. If there is no such
// state, or a row of a table has no sample in it, uses all samples of the row. Uses no sample of the sweep.
void Session::predict_again() {
  keep_ready_times();
  keep_cost();
  keep_speeds();
  predict();
}

void Session::keep_states() {
  if (!context_.probe || states_.round_trips().empty()) return;
  const auto sweep = sweep_states();
  recorder_->states(sweep, state_);
  report_ += states_line(sweep, state_);
}

}  // namespace ddproxy
