// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/sweep.hpp"

#include <algorithm>
#include <random>

#include "miniapp/benchmark_driver.hpp"
#include "miniapp/check.hpp"
#include "miniapp/device.hpp"
#include "miniapp/signals.hpp"

namespace ddproxy {
namespace {

enum Action : std::int64_t { stop, interrupt, compute_pass, warm_up_pass, case_pass };

// The passes of a sweep: rank 0 calls measure(), the others follow().
class Passes {
 public:
  Passes(Workbench& bench, std::vector<Case> const& cases) : bench_(bench) {
    schedules_.reserve(cases.size());
    for (auto const& item : cases) {
      schedules_.emplace_back(bench.workload, item.plan, item.overlapped);
      overlapped_.push_back(item.overlapped);
    }
    traces_.resize(cases.size());
  }

  std::vector<double> compute() { return split(command(compute_pass, 0), 1); }
  void warm_up(std::size_t item) { command(warm_up_pass, item); }
  Sample measure(std::size_t item);
  void end(bool interrupted) { send(interrupted ? interrupt : stop, 0); }
  bool follow();  // false: interrupted
  std::vector<RankTrace> const& traces() const { return traces_; }

 private:
  static constexpr std::size_t width = 4;
  void send(std::int64_t action, std::size_t item);
  std::vector<double> command(std::int64_t action, std::size_t item);
  std::vector<double> carry_out(std::int64_t action, std::size_t item);
  std::vector<double> split(std::vector<double> const& all, std::size_t column) const;

  Workbench& bench_;
  Schedule alone_{bench_.workload.pass.operations.size()};
  std::vector<Schedule> schedules_;
  std::vector<bool> overlapped_;
  std::vector<RankTrace> traces_;  // of this rank's last pass of each case
};

void Passes::send(std::int64_t action, std::size_t item) {
  std::vector<std::int64_t> message{action, static_cast<std::int64_t>(item)};
  bench_.runtime.broadcast(message);
}

std::vector<double> Passes::command(std::int64_t action, std::size_t item) {
  send(action, item);
  return carry_out(action, item);
}

std::vector<double> Passes::carry_out(std::int64_t action, std::size_t item) {
  const bool of_case = action != compute_pass;
  auto const& schedule = of_case ? schedules_[item] : alone_;
  Witness backward(bench_.backward_of(of_case && overlapped_[item]));  // of all passes alike
  synchronise_clocks();
  const double waited = bench_.runtime.barrier();
  const auto times = run_pass(backward, *bench_.allreduce, schedule);
  if (action == case_pass) traces_[item] = trace_of(times, backward, bench_.allreduce->reductions());
  const auto all = bench_.runtime.gather(
      std::vector<double>{times.total, times.backward_end, waited, signalled() ? 1.0 : 0.0});
  if (std::ranges::any_of(split(all, 3), [](double flag) { return flag > 0; })) set_signalled();
  return all;
}

std::vector<double> Passes::split(std::vector<double> const& all, std::size_t column) const {
  std::vector<double> values;
  for (std::size_t i = column; i < all.size(); i += width) values.push_back(all[i]);
  return values;
}

Sample Passes::measure(std::size_t item) {
  const auto all = command(case_pass, item);
  Sample sample{split(all, 0), split(all, 1), {}, split(all, 2)};
  // Who waited longest came first.
  const double longest = std::ranges::max(sample.arrival);
  for (double& arrival : sample.arrival) arrival = longest - arrival;
  return sample;
}

bool Passes::follow() {
  for (;;) {
    std::vector<std::int64_t> message{stop, 0};
    bench_.runtime.broadcast(message);
    if (message[0] == stop || message[0] == interrupt) return message[0] == stop;
    carry_out(message[0], static_cast<std::size_t>(message[1]));
  }
}

// Rank 0's side: what Google Benchmark calls for each sample.
class Leader {
 public:
  Leader(Workbench& bench, Passes& passes, SampleSink const& sink)
      : bench_(bench), passes_(passes), sink_(sink) {}

  double sample(std::size_t item, int round) {
    if (!bench_.config.shared_compute || round != round_) compute_ = passes_.compute();
    round_ = round;
    Sample sample = passes_.measure(item);
    sample.compute = compute_;
    sink_(item, round, position_++, sample);
    return std::ranges::max(sample.total);
  }

 private:
  Workbench& bench_;
  Passes& passes_;
  SampleSink const& sink_;
  std::vector<double> compute_;
  int round_ = -1, position_ = 0;
};

std::vector<PlannedSample> shuffled(std::vector<Case> const& cases, int rounds) {
  std::vector<PlannedSample> plan;
  std::vector<std::size_t> order(cases.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random{std::random_device{}()};
  for (int round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (std::size_t item : order) plan.push_back({item, round, cases[item].name()});
  }
  return plan;
}

// False: interrupted by a signal.
bool lead(Workbench& bench, Passes& passes, std::vector<Case> const& cases, SampleSink const& sink) {
  for (int i = 0; i < bench.config.warmup; ++i) {
    passes.compute();
    passes.warm_up(0);
  }
  Leader leader(bench, passes, sink);
  drive(shuffled(cases, bench.config.samples),
        [&](std::size_t item, int round) { return signalled() ? 0.0 : leader.sample(item, round); });
  const bool interrupted = signalled();  // asked once: the others are told the same
  passes.end(interrupted);
  return !interrupted;
}

}  // namespace

std::vector<std::vector<RankTrace>> run_sweep(Workbench& bench, std::vector<Case> const& cases,
                                              SampleSink const& sink) {
  Passes passes(bench, cases);
  const bool complete = bench.runtime.root() ? lead(bench, passes, cases, sink) : passes.follow();
  if (!complete) throw Agreed(exit_interrupted, interrupted_text);
  std::vector<std::vector<RankTrace>> traces;
  for (auto const& mine : passes.traces()) traces.push_back(gather_traces(bench.runtime, mine));
  return traces;
}

}  // namespace ddproxy
