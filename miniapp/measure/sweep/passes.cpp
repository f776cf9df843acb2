// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/sweep/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "miniapp/device/device.hpp"
#include "miniapp/errors/signals.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/measure/calibration/measure.hpp"

namespace ddproxy {
namespace {

// The values that a rank sends to rank 0 after a pass. The first three are seconds. barrier_wait is the time
// from the rank's arrival until the pass starts. The two probes are values of RankContext::probe_state().
// was_signalled is 0 or 1.
enum Column : std::size_t {
  total,
  backward_end,
  barrier_wait,
  probe_before,
  probe_after,
  was_signalled,
  columns
};

enum Action : std::int64_t {
  stop,
  interrupt,
  compute_pass,
  timed_compute_pass,
  warm_up_pass,
  case_pass,
  part_pass,
  buckets_alone
};

}  // namespace

void Passes::compute() {
  command(compute_pass, 0);
}

Sample Passes::measure_compute() {
  const auto all = command(timed_compute_pass, 0);
  Sample sample;
  sample.compute = split(all, backward_end);
  sample.compute_probe_before = all[probe_before];
  sample.compute_probe_after = all[probe_after];
  return sample;
}

double Passes::part(std::size_t part) {
  return command(part_pass, part)[0];
}

std::vector<double> Passes::reduce_alone(std::size_t item) {
  return command(buckets_alone, item);
}

void Passes::warm_up(std::size_t item) {
  command(warm_up_pass, item);
}

void Passes::end(bool interrupted) {
  send(interrupted ? interrupt : stop, 0);
}

void Passes::send(std::int64_t action, std::size_t item) {
  std::vector<std::int64_t> message{action, static_cast<std::int64_t>(item)};
  exchange(message);
}

std::vector<double> Passes::command(std::int64_t action, std::size_t item) {
  send(action, item);
  return carry_out(action, item);
}

// Sends a command from rank 0 to the other ranks. The waiting ranks sleep if this run takes turns with
// another program, or if only rank 0 computes, because the other program or rank 0 may need their cores.
// There is no time limit if this run takes turns with another program, because the other program may take as
// long as it likes.
void Passes::exchange(std::vector<std::int64_t>& message) {
  auto const& runtime = context_.runtime;
  if (in_turns_) return runtime.broadcast_asleep(message);
  if (context_.computing_ranks() == runtime.ranks()) return runtime.broadcast(message);
  const auto limit = runtime.limited("MPI_Ibcast");
  runtime.broadcast_asleep(message);
}

std::vector<double> Passes::carry_out(std::int64_t action, std::size_t item) {
  if (action == part_pass) return {parts_.measure(item)};
  if (action == buckets_alone) return run_buckets(item);
  auto mine = context_.computes() ? run(action, item) : std::vector<double>(columns, 0.0);
  mine[was_signalled] = signalled() ? 1.0 : 0.0;
  const auto all = context_.runtime.gather(mine);
  if (action == timed_compute_pass)
    for (double& seconds : operator_seconds_)
      seconds = context_.runtime.maximum(context_.computes() ? seconds : 0.0);
  for (std::size_t rank = 0; rank < all.size() / columns; ++rank)
    if (all[rank * columns + was_signalled] > 0) set_signalled();
  return all;
}

std::vector<double> Passes::run(std::int64_t action, std::size_t item) {
  const bool of_case = action == case_pass || action == warm_up_pass;
  const bool is_timed = action == case_pass || action == timed_compute_pass;
  note_step(fmt::format("in pass {} of the sweep ({})", ++passes_, of_case ? names_[item] : "compute alone"));
  CompiledStep& step = of_case ? steps_[item] : alone_;
  const auto arrived = Clock::now();
  const double before = is_timed ? context_.probe_state() : not_available;
  synchronise_clocks();
  if (context_.computing_ranks() > 1) context_.runtime.barrier();
  const double waited = seconds_since(arrived);
  const auto times = [&] {
    const auto limit = context_.runtime.limited_on_device();
    return run_step(step, *context_.backward, *context_.allreduce);
  }();
  if (action == case_pass) traces_[item] = trace_of(times, step, context_.allreduce->finished());
  if (action == timed_compute_pass && context_.config.gate.operators)
    operator_seconds_ = operators_.seconds(times.start, step.operator_ends());
  std::vector<double> mine(columns, 0.0);
  mine[total] = times.total;
  mine[backward_end] = times.backward_end;
  mine[barrier_wait] = waited;
  mine[probe_before] = before;
  mine[probe_after] = is_timed ? context_.probe_state() : not_available;
  return mine;
}

std::vector<double> Passes::run_buckets(std::size_t item) {
  std::vector<Slice> buckets;
  for (auto const& call : steps_[item].collectives()) buckets.push_back(call.assigned);
  const double all = time_row(context_, buckets);
  std::vector<double> seconds;
  for (auto const& one : context_.allreduce->finished())
    seconds.push_back(seconds_between(one.start, one.end));
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (double& one : seconds) one *= all / sum;
  return seconds;
}

std::vector<model::StepGraph> Passes::graphs() const {
  std::vector<model::StepGraph> graphs;
  for (auto const& step : steps_) graphs.push_back(step.graph());
  return graphs;
}

std::vector<double> Passes::split(std::vector<double> const& all, std::size_t column) const {
  std::vector<double> values;
  const auto ranks = static_cast<std::size_t>(context_.computing_ranks());
  for (std::size_t i = column; i < std::min(all.size(), ranks * columns); i += columns)
    values.push_back(all[i]);
  return values;
}

Sample Passes::measure(std::size_t item, Sample sample) {
  const auto all = command(case_pass, item);
  sample.total = split(all, total);
  sample.backward_end = split(all, backward_end);
  sample.arrival = split(all, barrier_wait);
  sample.probe_before = all[probe_before];
  sample.probe_after = all[probe_after];
  // The rank that waited longest arrived first.
  const double longest = std::ranges::max(sample.arrival);
  for (double& arrival : sample.arrival) arrival = longest - arrival;
  return sample;
}

bool Passes::follow() {
  note_step("waiting for a pass of the sweep");
  for (;;) {
    std::vector<std::int64_t> message{stop, 0};
    exchange(message);
    if (message[0] == stop || message[0] == interrupt) return message[0] == stop;
    carry_out(message[0], static_cast<std::size_t>(message[1]));
  }
}

}  // namespace ddproxy
