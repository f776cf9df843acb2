// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/occupy_stream.hpp"
#include "miniapp/device/marks.hpp"
#include "miniapp/input/wire_format.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/rounds.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

// intended time of compute and of the calls in a sample; a single repetition or call may take longer
constexpr double target_seconds = 0.05;
constexpr double time_a_size_s = 4;
constexpr std::int64_t largest_message = 64 << 20;
constexpr int message_sizes_tried = 6, balancing_rounds = 4, least_samples = 3;
// balance() estimates the share of the calls that ran while compute ran. It assumes at least this share,
// because a smaller one cannot be measured.
constexpr double least_share = 0.1;
// The queue of a device is finite, and the host must not wait for room in it. So the numbers of repetitions
// and calls are limited: a repetition launches about twenty kernels, and a call is up to six commands. The
// device is kept busy for `head_start` seconds, in which the host enqueues all kernels and commands. Compute
// and calls begin after that.
constexpr double most_repetitions = on_device ? 40 : 100000, most_calls = on_device ? 150 : 100000;
constexpr double head_start = 0.02;
// On a device a launch takes as long as a small copy, so several copies are timed together.
constexpr int copies_at_once = on_device ? 20 : 1;

struct Times {
  double compute = 0, collective = 0;
};

// Returns the completion after which compute and calls begin. On a device, if NCCL or a communication thread
// starts the calls, returns an event: compute and calls wait for it while the host enqueues them. Otherwise,
// that is on a host or if the compute side starts the calls, returns the present time.
Completion common_start(Config const& config, Marks& marks) {
  const bool by_itself = config.backend == Backend::nccl || config.progress == Progress::thread;
  if (!on_device || !by_itself) return {Clock::now(), nullptr};
  const kernels::Space exec;
  kernels::occupy_stream(exec, head_start);
  return marks.after(exec);
}

Times time_together(RankContext& context, Work const& work, bool with_compute, bool with_collective) {
  context.allreduce->begin(work.calls.size());
  context.runtime.barrier();  // nobody uses the device while the clocks are synchronised
  synchronise_clocks();
  context.runtime.barrier();
  auto limit = context.runtime.limited_on_device();
  Marks marks(1);
  const Completion start = common_start(context.config, marks);
  const auto reduce = [&] {
    for (auto const& slice : work.calls) context.allreduce->start_all_reduce(slice, start);
  };
  // Without a device, the compute side must start the calls before it computes, so that it can poll them
  // between two operations. On a device, compute is enqueued first: the host does not wait for it, so it can
  // start the calls directly afterwards.
  if (with_collective && !on_device) reduce();
  if (with_compute) run_work(context, work);
  const Completion computed = with_compute ? context.backward->completion() : start;
  if (with_collective && on_device) {
    reduce();
    context.allreduce->progress();
  }
  context.backward->fence();
  Times times;
  times.compute = seconds_between(moment_of(start), moment_of(computed));
  context.allreduce->wait_all();
  limit.reset();
  if (with_collective)
    times.collective = seconds_between(moment_of(start), context.allreduce->finished().back().end);
  return {context.runtime.maximum(times.compute), context.runtime.maximum(times.collective)};
}

ContentionSample sample(RankContext& context, Work const& work) {
  const double compute_alone = time_together(context, work, true, false).compute;
  const double collective_alone = time_together(context, work, false, true).collective;
  const auto [compute, collective] = time_together(context, work, true, true);
  ContentionSample one;
  one.compute_alone = {compute_alone};
  one.collective_alone = {collective_alone};
  one.compute_beside = {compute};
  one.collective_beside = {collective};
  return one;
}

std::size_t as_many(double seconds, double of_one, double most) {
  return static_cast<std::size_t>(std::clamp(seconds / of_one, 1.0, most));
}

std::vector<Slice> calls_of(RankContext const& context, Work const& work, std::size_t elements,
                            std::size_t calls, std::size_t before) {
  const Slice free{work.free_offset, context.arena.size() - work.free_offset};
  return consecutive_slices(free, elements, calls, before);
}

// Chooses the numbers of repetitions and calls so that compute and calls end at about the same time. The time
// in which only one of them runs tells nothing about contention.
void balance(RankContext& context, Work& work, std::size_t elements) {
  work.repetitions = 1;
  work.calls = calls_of(context, work, elements, 1, 0);
  for (int round = 0; round < balancing_rounds; ++round) {
    const double alone = time_together(context, work, false, true).collective;
    const auto [compute, collective] = time_together(context, work, true, true);
    const double left = std::max(collective - compute, 0.0);
    const double share = left > 0 ? std::max(1 - left / alone, least_share) : 1;
    const double call = std::min(compute, collective) / (share * static_cast<double>(work.calls.size()));
    const double repetition = compute / work.repetitions;
    const double seconds = std::min(
        {std::max({target_seconds, repetition, call}), most_repetitions * repetition, most_calls * call});
    work.repetitions = static_cast<int>(as_many(seconds, repetition, most_repetitions));
    work.calls = calls_of(context, work, elements, as_many(seconds, call, most_calls), work.calls.size());
  }
}

ContentionSample make_run(RankContext& context, Work work, std::size_t elements) {
  balance(context, work, elements);
  ContentionSample run;
  run.bytes = static_cast<std::int64_t>(elements * gradient_element_bytes);
  run.calls = static_cast<std::int64_t>(work.calls.size());
  run.repetitions = work.repetitions;
  return run;
}

// Returns the seconds that all samples so far took.
double seconds_spent(ContentionSample const& run) {
  double spent = 0;
  for (std::size_t i = 0; i < run.compute_alone.size(); ++i)
    spent += run.compute_alone[i] + run.collective_alone[i] +
             std::max(run.compute_beside[i], run.collective_beside[i]);
  return spent;
}

// Returns the message sizes, in elements: from the smallest gradient to the largest message, in equal steps
// of the logarithm. No message is larger than all gradients together. The size of the arena does not ensure
// this, because the arena of a sharded step can be larger.
std::vector<std::size_t> elements_tried(RankContext const& context, Work const& work) {
  const double free = static_cast<double>(context.arena.size() - work.free_offset);
  const auto most = static_cast<double>(std::min(largest_message, context.workload.bytes()));
  const double largest = std::min(most / gradient_element_bytes, free);
  const double smallest =
      std::min(largest, static_cast<double>(std::ranges::min(context.workload.gradient_bytes)) /
                            gradient_element_bytes);
  std::vector<std::size_t> tried;
  for (int i = 0; i < message_sizes_tried; ++i) {
    const double share = static_cast<double>(i) / (message_sizes_tried - 1);
    const auto elements =
        static_cast<std::size_t>(std::lround(smallest * std::pow(largest / smallest, share)));
    if (tried.empty() || elements > tried.back()) tried.push_back(elements);
  }
  return tried;
}

// Returns whether a size takes another sample in this round. By the end of round k (from 0) of `rounds`, a
// size may have used the share (k + 1) / rounds of time_a_size_s. A size with fewer samples than this share
// of least_samples always takes another one.
bool has_time(ContentionSample const& run, int round, int rounds) {
  const double share = (round + 1.0) / rounds;
  return static_cast<double>(run.compute_alone.size()) < least_samples * share ||
         seconds_spent(run) < time_a_size_s * share;
}

void warm_up(RankContext& context, Work const& work) {
  const auto limit = context.runtime.limited_on_device();
  run_work(context, work);
  context.backward->fence();
}

// Returns the seconds in which this rank copies the slice `copies_at_once` times.
double seconds_of_copies(RankContext& context, Slice const& slice) {
  const auto limit = context.runtime.limited_on_device();
  const auto start = Clock::now();
  for (int copy = 0; copy < copies_at_once; ++copy) context.backward->copy(slice, context.gradients_at());
  context.backward->fence();
  return seconds_since(start);
}

}  // namespace

Work choose_work(RankContext const& context) {
  Work work;
  Workload const& workload = context.workload;
  work.operations = contention_operations(workload);
  if (context.arena_is_free) return work;
  for (auto const& gradient : workload.pass.gradients)
    if (gradient.operation <= work.operations.back()) work.free_offset = gradient.slice().end();
  return work;
}

void run_work(RankContext& context, Work const& work) {
  for (int i = 0; i < work.repetitions; ++i)
    for (std::size_t op : work.operations) {
      context.allreduce->progress();
      context.backward->run(op);
    }
}

ContentionRounds::ContentionRounds(RankContext& context, int samples)
    : context_(&context), samples_(samples) {
  if (context.config.compute == ComputeMode::replay) return;
  const Work work = choose_work(context);
  warm_up(context, work);
  for (const std::size_t elements : elements_tried(context, work)) {
    stop_where_signalled(context.runtime);
    runs_.push_back(make_run(context, work, elements));
  }
}

// Takes one sample of each size in turn. So if the machine is disturbed for a second, this spoils one sample
// of several sizes, and not all samples of one size.
void ContentionRounds::take(int round, int rounds) {
  for (int turn = 0; turn < samples_of_round(samples_, round, rounds); ++turn) {
    if (round + turn > 0 && signalled(context_->runtime)) return;  // keeps the samples so far
    for (ContentionSample& run : runs_)
      if (has_time(run, round, rounds)) add_sample(*context_, run);
  }
}

void add_sample(RankContext& context, ContentionSample& run) {
  Work work = choose_work(context);
  work.repetitions = run.repetitions;
  const auto elements = static_cast<std::size_t>(run.bytes) / gradient_element_bytes;
  const auto calls = static_cast<std::size_t>(run.calls);
  work.calls = calls_of(context, work, elements, calls, calls * run.compute_alone.size());
  ContentionSample one;
  probed(context.probe.get(), run.probes, [&] { one = sample(context, work); });
  for (auto times : {&ContentionSample::compute_alone, &ContentionSample::collective_alone,
                     &ContentionSample::compute_beside, &ContentionSample::collective_beside})
    (run.*times).push_back((one.*times).front());
}

double measure_copy_bandwidth(RankContext& context, int samples) {
  const Slice slice{0, std::min<std::size_t>(context.arena.size(), 1 << 24)};
  std::vector<double> seconds;
  for (int i = 0; i <= samples; ++i) {  // sample 0 only touches the memory and is not kept
    context.runtime.barrier();
    const double mine = seconds_of_copies(context, slice);
    if (const double took = context.runtime.maximum(mine); i > 0) seconds.push_back(took / copies_at_once);
  }
  return static_cast<double>(slice.count * gradient_element_bytes) / model::median(seconds);
}

}  // namespace ddproxy
