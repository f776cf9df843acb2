// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/sweep.hpp"

#include <algorithm>
#include <random>

#include "miniapp/benchmark_driver.hpp"
#include "miniapp/check.hpp"
#include "miniapp/device.hpp"
#include "miniapp/signals.hpp"
#include "miniapp/turns.hpp"

namespace ddproxy {
namespace {

enum Action : std::int64_t { stop, interrupt, compute_pass, warm_up_pass, case_pass, part_pass };

// The passes of a sweep: rank 0 calls measure(), the others follow().
class Passes {
 public:
  Passes(Workbench& bench, std::vector<Case> const& cases, bool in_turns)
      : bench_(bench), in_turns_(in_turns), operators_(bench.workload.pass), parts_(bench) {
    if (bench.config.gate.operators) operator_seconds_.resize(operators_.names().size());
    schedules_.reserve(cases.size());
    for (auto const& item : cases) {
      schedules_.emplace_back(bench.workload, item.plan, item.overlapped);
      overlapped_.push_back(item.overlapped);
    }
    traces_.resize(cases.size());
  }

  std::vector<double> compute() { return split(command(compute_pass, 0), 1); }
  double part(std::size_t part) { return command(part_pass, part)[0]; }
  std::vector<std::string> const& part_names() const { return parts_.names(); }
  OperatorTimes const& operators() const { return operators_; }
  /// Of the last compute pass, by operators().names(), maximum over ranks; on rank 0, where [gate] asks for
  /// it.
  std::vector<double> const& operator_seconds() const { return operator_seconds_; }
  void warm_up(std::size_t item) { command(warm_up_pass, item); }
  Sample measure(std::size_t item);
  void end(bool interrupted) { send(interrupted ? interrupt : stop, 0); }
  bool follow();  // false: interrupted
  std::vector<RankTrace> const& traces() const { return traces_; }

 private:
  static constexpr std::size_t width = 4;
  void send(std::int64_t action, std::size_t item);
  std::vector<double> command(std::int64_t action, std::size_t item);
  void exchange(std::vector<std::int64_t>& message);
  std::vector<double> carry_out(std::int64_t action, std::size_t item);
  std::vector<double> run(std::int64_t action, std::size_t item);
  std::vector<double> split(std::vector<double> const& all, std::size_t column) const;

  Workbench& bench_;
  bool in_turns_;
  OperatorTimes operators_;
  Parts parts_;
  std::vector<double> operator_seconds_;
  Schedule alone_{bench_.workload.pass.operations.size()};
  std::vector<Schedule> schedules_;
  std::vector<bool> overlapped_;
  std::vector<RankTrace> traces_;  // of this rank's last pass of each case
};

void Passes::send(std::int64_t action, std::size_t item) {
  std::vector<std::int64_t> message{action, static_cast<std::int64_t>(item)};
  exchange(message);
}

std::vector<double> Passes::command(std::int64_t action, std::size_t item) {
  send(action, item);
  return carry_out(action, item);
}

// A rank that waits for a command sleeps where another program or rank 0 alone may be at work on its core.
void Passes::exchange(std::vector<std::int64_t>& message) {
  if (in_turns_ || bench_.computing_ranks() < bench_.runtime.ranks())
    bench_.runtime.broadcast_asleep(message);
  else
    bench_.runtime.broadcast(message);
}

std::vector<double> Passes::carry_out(std::int64_t action, std::size_t item) {
  if (action == part_pass) return {parts_.measure(item)};
  const auto mine = bench_.computes() ? run(action, item) : std::vector<double>(width, 0.0);
  const auto all = bench_.runtime.gather(mine);
  if (action == compute_pass)
    for (double& seconds : operator_seconds_)
      seconds = bench_.runtime.maximum(bench_.computes() ? seconds : 0.0);
  if (std::ranges::any_of(split(all, 3), [](double flag) { return flag > 0; })) set_signalled();
  return all;
}

std::vector<double> Passes::run(std::int64_t action, std::size_t item) {
  const bool of_case = action != compute_pass;
  auto const& schedule = of_case ? schedules_[item] : alone_;
  Witness backward(bench_.backward_of(of_case && overlapped_[item]));  // of all passes alike
  synchronise_clocks();
  const double waited = bench_.computing_ranks() > 1 ? bench_.runtime.barrier() : 0.0;
  const auto times = run_pass(backward, *bench_.allreduce, schedule);
  if (action == case_pass) traces_[item] = trace_of(times, backward, bench_.allreduce->reductions());
  if (action == compute_pass && bench_.config.gate.operators)
    operator_seconds_ = operators_.seconds(times.start, backward.ends());
  return {times.total, times.backward_end, waited, signalled() ? 1.0 : 0.0};
}

std::vector<double> Passes::split(std::vector<double> const& all, std::size_t column) const {
  std::vector<double> values;
  const auto ranks = static_cast<std::size_t>(bench_.computing_ranks());
  for (std::size_t i = column; i < std::min(all.size(), ranks * width); i += width) values.push_back(all[i]);
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
    exchange(message);
    if (message[0] == stop || message[0] == interrupt) return message[0] == stop;
    carry_out(message[0], static_cast<std::size_t>(message[1]));
  }
}

// Where the values of a sweep go.
struct Sinks {
  SampleSink const& sample;
  PartSink const& part;
};

// Rank 0's side: what Google Benchmark calls for each sample of a case or a part, the parts after the cases.
class Leader {
 public:
  Leader(Workbench& bench, Passes& passes, std::size_t cases, Turns& turns, Sinks sinks)
      : bench_(bench), passes_(passes), cases_(cases), turns_(turns), sinks_(sinks) {}

  double sample(std::size_t item, int round) {
    if (turns_.wait()) warm_up(item);
    if (signalled()) return 0;
    return item < cases_ ? sample_case(item, round) : sample_part(item - cases_);
  }

 private:
  // The other program has had the caches since the last sample.
  void warm_up(std::size_t item) {
    if (item < cases_)
      passes_.compute();
    else
      passes_.part(item - cases_);
  }

  double sample_case(std::size_t item, int round) {
    if (!bench_.config.shared_compute || round != round_) take_compute();
    round_ = round;
    Sample sample = passes_.measure(item);
    sample.compute = compute_;
    sinks_.sample(item, round, position_++, sample);
    return std::ranges::max(sample.total);
  }

  double sample_part(std::size_t part) {
    const double seconds = passes_.part(part);
    sinks_.part(passes_.part_names()[part], seconds);
    return seconds;
  }

  void take_compute() {
    compute_ = passes_.compute();
    auto const& seconds = passes_.operator_seconds();
    for (std::size_t k = 0; k < seconds.size(); ++k) sinks_.part(passes_.operators().names()[k], seconds[k]);
  }

  Workbench& bench_;
  Passes& passes_;
  std::size_t cases_;
  Turns& turns_;
  Sinks sinks_;
  std::vector<double> compute_;
  int round_ = -1, position_ = 0;
};

// std::shuffle gives other orders with other standard libraries, and both builds of a round need the same.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
}

std::vector<PlannedSample> shuffled(std::vector<std::string> const& names, int rounds,
                                    std::optional<std::uint64_t> seed) {
  std::vector<PlannedSample> plan;
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937_64 random{seed ? *seed : std::random_device{}()};
  for (int round = 0; round < rounds; ++round) {
    shuffle(order, random);
    for (std::size_t item : order) plan.push_back({item, round, names[item]});
  }
  return plan;
}

std::vector<std::string> item_names(std::vector<Case> const& cases, Passes const& passes) {
  std::vector<std::string> names;
  for (auto const& item : cases) names.push_back(item.name());
  names.insert(names.end(), passes.part_names().begin(), passes.part_names().end());
  return names;
}

// False: interrupted by a signal.
bool lead(Workbench& bench, Passes& passes, std::vector<Case> const& cases, TurnOptions const& options,
          Sinks sinks) {
  Turns turns(options.go, options.ready);
  for (int i = 0; i < bench.config.warmup; ++i) {
    passes.compute();
    passes.warm_up(0);
  }
  Leader leader(bench, passes, cases.size(), turns, sinks);
  drive(shuffled(item_names(cases, passes), bench.config.samples, options.seed),
        [&](std::size_t item, int round) { return signalled() ? 0.0 : leader.sample(item, round); });
  const bool interrupted = signalled();  // asked once: the others are told the same
  passes.end(interrupted);
  return !interrupted;
}

}  // namespace

std::vector<std::string> part_names(Workbench const& bench) {
  std::vector<std::string> names;
  if (bench.config.gate.operators) names = OperatorTimes(bench.workload.pass).names();
  for (auto& name : Parts::names_of(bench)) names.push_back(std::move(name));
  return names;
}

std::size_t part_samples(Workbench const& bench, std::size_t cases) {
  const auto rounds = static_cast<std::size_t>(bench.config.samples);
  return bench.config.gate.operators && !bench.config.shared_compute ? rounds * cases : rounds;
}

std::vector<std::vector<RankTrace>> run_sweep(Workbench& bench, std::vector<Case> const& cases,
                                              TurnOptions const& turns, SampleSink const& sink,
                                              PartSink const& part_sink) {
  Passes passes(bench, cases, !turns.go.empty());
  const bool complete =
      bench.runtime.root() ? lead(bench, passes, cases, turns, {sink, part_sink}) : passes.follow();
  if (!complete) throw Agreed(exit_interrupted, interrupted_text);
  std::vector<std::vector<RankTrace>> traces;
  for (auto const& mine : passes.traces()) {
    if (bench.computing_ranks() > 1)
      traces.push_back(gather_traces(bench.runtime, mine));
    else
      traces.emplace_back(mine.operation_end.empty() ? 0 : 1, mine);
  }
  return traces;
}

}  // namespace ddproxy
