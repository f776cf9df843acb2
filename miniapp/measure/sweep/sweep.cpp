// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/sweep/sweep.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "miniapp/errors/errors.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/sweep/benchmark_driver.hpp"
#include "miniapp/measure/sweep/passes.hpp"
#include "miniapp/measure/sweep/turns.hpp"

namespace ddproxy {
namespace {

// Takes the samples on rank 0. Google Benchmark calls sample() for each sample of a case or of a part. The
// indices of the parts follow those of the cases.
class Leader {
 public:
  Leader(RankContext& context, Passes& passes, std::size_t cases, Turns& turns, SweepObserver const& observer)
      : context_(context), passes_(passes), cases_(cases), turns_(turns), observer_(observer) {}

  double sample(std::size_t item, int round) {
    const bool has_waited = turns_.wait();
    if (signalled()) return 0;
    if (round != begun_) observer_.round();
    begun_ = round;
    if (has_waited) warm_up(item);
    return item < cases_ ? sample_case(item, round) : sample_part(item - cases_);
  }

 private:
  // Fills the caches again after the turn of the other program.
  void warm_up(std::size_t item) {
    if (item < cases_)
      passes_.compute();
    else
      passes_.part(item - cases_);
  }

  double sample_case(std::size_t item, int round) {
    if (!context_.config.shared_compute || round != round_) take_compute();
    round_ = round;
    Sample sample = passes_.measure(item, compute_);
    if (passes_.can_reduce_alone()) sample.buckets_alone = passes_.reduce_alone(item);
    observer_.sample(item, round, position_++, sample);
    return std::ranges::max(sample.total);
  }

  double sample_part(std::size_t part) {
    const double seconds = passes_.part(part);
    observer_.part(passes_.part_names()[part], seconds);
    return seconds;
  }

  void take_compute() {
    compute_ = passes_.measure_compute();
    auto const& seconds = passes_.operator_seconds();
    for (std::size_t k = 0; k < seconds.size(); ++k)
      observer_.part(passes_.operators().names()[k], seconds[k]);
  }

  RankContext& context_;
  Passes& passes_;
  std::size_t cases_;
  Turns& turns_;
  SweepObserver const& observer_;
  Sample compute_;  // has T_compute and its probes only
  int begun_ = -1;  // the round of the last sample
  int round_ = -1;  // the round of compute_
  int position_ = 0;
};

// Shuffles the order. std::shuffle is not used, because it gives different orders with different standard
// libraries, and both builds that `scripts/gate` compares need the same order.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random() % k]);
}

// Plans the samples of one round after another. Each round has a random order of its own.
class RoundPlanner {
 public:
  RoundPlanner(std::vector<std::string> names, std::optional<std::uint64_t> seed)
      : names_(std::move(names)), order_(names_.size()), random_{seed ? *seed : std::random_device{}()} {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::vector<PlannedSample> next(int rounds) {
    std::vector<PlannedSample> plan;
    for (int k = 0; k < rounds; ++k, ++round_) {
      shuffle(order_, random_);
      for (std::size_t item : order_) plan.push_back({item, round_, names_[item]});
    }
    return plan;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> order_;
  std::mt19937_64 random_;
  int round_ = 0;
};

std::vector<std::string> item_names(std::vector<CaseReport> const& cases, Passes const& passes) {
  std::vector<std::string> names;
  for (auto const& report : cases) names.push_back(report.item.name());
  names.insert(names.end(), passes.part_names().begin(), passes.part_names().end());
  return names;
}

// Runs the sweep on rank 0. Returns false if a signal interrupted it.
bool lead(RankContext& context, Passes& passes, std::vector<CaseReport> const& cases,
          TurnOptions const& options, SweepObserver const& observer) {
  Turns turns(options.go, options.ready);
  for (int i = 0; i < context.config.warmup; ++i) {
    passes.compute();
    passes.warm_up(0);
  }
  Leader leader(context, passes, cases.size(), turns, observer);
  RoundPlanner planner(item_names(cases, passes), options.seed);
  const auto take = [&](int rounds) {
    drive(planner.next(rounds),
          [&](std::size_t item, int round) { return signalled() ? 0.0 : leader.sample(item, round); });
  };
  const int fewest = rounds_to_take(context.config);
  take(fewest);
  const bool fixed = has_own_arguments() || !options.go.empty();
  for (int rounds = fewest; !fixed && !signalled() && observer.another(rounds); ++rounds) take(1);
  const bool interrupted = signalled();  // read once, so that all ranks act on the same answer
  passes.end(interrupted);
  return !interrupted;
}

}  // namespace

std::vector<std::string> part_names(RankContext const& context) {
  std::vector<std::string> names;
  if (context.config.gate.operators) names = OperatorTimes(context.workload.pass).names();
  for (auto& name : Parts::names_of(context)) names.push_back(std::move(name));
  return names;
}

std::size_t part_samples(RankContext const& context, std::size_t cases) {
  const auto rounds = static_cast<std::size_t>(rounds_to_take(context.config));
  return context.config.gate.operators && !context.config.shared_compute ? rounds * cases : rounds;
}

std::vector<CaseTimeline> run_sweep(RankContext& context, std::vector<CaseReport> const& cases,
                                    TurnOptions const& turns, SweepObserver const& observer) {
  Passes passes(context, cases, !turns.go.empty());
  const bool complete =
      context.runtime.root() ? lead(context, passes, cases, turns, observer) : passes.follow();
  if (!complete) throw CollectiveError(exit_interrupted, interrupted_text);
  std::vector<CaseTimeline> timelines;
  const auto graphs = passes.graphs();
  for (std::size_t item = 0; item < cases.size(); ++item) {
    auto const& mine = passes.traces()[item];
    if (context.computing_ranks() > 1)
      timelines.push_back({graphs[item], gather_traces(context.runtime, mine)});
    else
      timelines.push_back({graphs[item], std::vector(mine.tasks.empty() ? 0 : 1, mine)});
  }
  return timelines;
}

}  // namespace ddproxy
