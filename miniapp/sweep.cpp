// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/sweep.hpp"

#include <algorithm>
#include <random>

#include "miniapp/benchmark_driver.hpp"
#include "miniapp/check.hpp"
#include "miniapp/passes.hpp"
#include "miniapp/signals.hpp"
#include "miniapp/turns.hpp"

namespace ddproxy {
namespace {

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
