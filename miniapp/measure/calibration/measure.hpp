// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The time of each operation of the backward pass, measured on all ranks at the same time. A sample is one
/// backward pass without communication. A probe is a short measurement that shows the state of the machine,
/// for example its clock level.
struct OperationTimes {
  std::size_t ranks = 0, operations = 0, samples = 0;
  std::vector<double> seconds;  ///< [rank, operation, sample]; on rank 0 only
  model::Probes probes = {};    ///< measurements of the machine's state; the same on all ranks
  double last_pass = 0;  ///< seconds of the last pass, the maximum over the ranks; the same on all ranks

  /// Returns the median over the samples in seconds, [rank][operation]. Call it on rank 0.
  std::vector<std::vector<double>> medians() const;
};

/// Times each operation in `samples` passes, after one pass that is not measured. In a build for a host,
/// waits for the end of each operation. On a device, events record the ends, and the pass is not interrupted.
/// Collective.
OperationTimes measure_operations(RankContext& context, int samples);

/// Adds samples of `passes` more passes to `times`, which may be empty. If `times` is empty or the last pass
/// took less than 50 ms, first runs one pass that is not measured. Reason: a short pass is slower after other
/// work. If operations are replayed, their times are known, and `times` has one sample only. Collective.
void add_passes(RankContext& context, OperationTimes& times, int passes);

/// Adds the samples of `more` behind those of `times`, which may be empty. Both have the same ranks and
/// operations.
void append(OperationTimes& times, OperationTimes const& more);

/// Returns the times of the samples whose indices `samples` lists.
OperationTimes with_samples(OperationTimes times, std::vector<std::size_t> const& samples);

/// The ready times of the gradients and T_compute, in seconds. Each is the maximum over the ranks.
struct ReadyTimes {
  std::vector<double> ready;  ///< [gradient] r_i
  double t_compute = 0;
};
/// Computes the ready times from the medians of `times`. Call it on rank 0.
ReadyTimes slowest_ready(Workload const& workload, OperationTimes const& times);

/// The times of one collective of one message size. A sample is the time of several calls in a row, divided
/// by the number of calls. It is the maximum over the ranks.
struct SizeTimes {
  std::int64_t bytes = 0;       ///< full size x, on the wire
  std::vector<double> seconds;  ///< [sample] of one call
  std::int64_t wrong = 0;       ///< wrong elements, the sum over all ranks; -1 if nothing was verified
  model::Probes probes = {};    ///< measurements of the machine's state; the same on all ranks
  model::Verb verb = model::Verb::all_reduce;
};

/// Returns the full size x divided by the median time, in bytes/s.
double algorithm_bandwidth(SizeTimes const& times);
/// Returns the bytes that a collective of the full size x moves through the slowest link of a ring of n
/// ranks, divided by x: 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter and an all-gather, 1 for a
/// broadcast, a send and a receive. Source: nccl-tests, doc/PERFORMANCE.md.
double bus_factor(model::Verb verb, int ranks);
/// Returns algorithm_bandwidth() times bus_factor(), in bytes/s. It uses the factor of a ring even if the
/// library used another algorithm.
double bus_bandwidth(SizeTimes const& times, int ranks);

/// Returns the message sizes of `general` and of `buckets`, in bytes, rising. `general` must rise. Leaves out
/// a bucket size that lies within 10 % of the kept bucket size before it. Leaves out a general size that lies
/// within 25 % of a kept bucket size, except the smallest and the largest general size.
std::vector<std::int64_t> with_bucket_sizes(std::vector<std::int64_t> const& general,
                                            std::vector<std::int64_t> buckets);

/// Returns `calls` slices of `elements` elements each, one after another in `region`. The first `before`
/// slices of this sequence are left out. At the end of the region the sequence starts again at the beginning.
/// Reason: the buckets of a large model are not in the cache when they are reduced. If every call reduced the
/// same slice, this slice would be in the cache.
std::vector<Slice> consecutive_slices(Slice region, std::size_t elements, std::size_t calls,
                                      std::size_t before = 0);

/// Carries out these collectives on the arena (the array of all gradients, in ready order) one after another,
/// without compute. Leaves out those in which this rank does not take part (takes_part() in
/// collective_call.hpp). Returns the seconds of all of them together, the maximum over the ranks. Afterwards
/// context.allreduce->finished() has the times of each collective that this rank carried out. Collective.
double time_calls(RankContext& context, std::vector<CollectiveCall> const& calls);

/// Does the same as time_calls() for all-reduces of these slices of the arena. Collective.
double time_row(RankContext& context, std::vector<Slice> const& slices);

/// Measures the table of a(x), the time of an all-reduce of x bytes on the wire. All-reduces are carried out
/// as in a step, so a(x) includes the conversion to the wire format. For other verbs (kinds of collectives)
/// it measures rs(x), ag(x), bc(x) and, for Verb::send, p2p(x). The ranks of a pair then send in turn
/// (row_of_sample() in collective_row.hpp). The MPI calls of these verbs are blocking or nonblocking, as was
/// chosen for the all-reduces.
///
/// Problem: the speed of a machine drifts within minutes. So samples of one size that are taken one right
/// after another say little about the minutes that follow. The samples are therefore spread over the rounds
/// of a calibration (rounds.hpp):
///
///     CollectiveRounds table(context, sizes);  // verifies each size, finds the number of calls in a sample
///     for (round = 0; round < rounds; ++round) table.take(round, rounds);
///
/// Every method is collective; the times are the same on all ranks.
class CollectiveRounds {
 public:
  /// Verifies the first call that is timed, for each verb and size, and finds the number of calls in a
  /// sample. Of sends it also verifies the second call, which goes in the other direction. `verbs` must not
  /// have Verb::receive. The sizes are bytes on the wire. For verbs with parts (has_parts() in
  /// collective_call.hpp), the number of elements of a size must be a multiple of the number of ranks.
  /// `context` must outlive the object.
  CollectiveRounds(RankContext& context, std::vector<std::int64_t> const& sizes,
                   std::vector<model::Verb> const& verbs = {model::Verb::all_reduce});
  /// Takes the samples of round `round` (from 0) of `rounds`. A size has 4 to 50 samples in all rounds
  /// together. Their number is chosen so that they take about 0.4 s. Returns early if a signal arrived; the
  /// samples so far are kept.
  void take(int round, int rounds);
  /// Returns the times of each size, one verb after another.
  std::vector<SizeTimes> const& times() const { return times_; }

 private:
  void add(SizeTimes times);

  RankContext* context_;
  std::vector<SizeTimes> times_;
  std::vector<int> calls_, samples_;  // [row] calls of a sample, and samples in all rounds
};

/// Measures a(x) at these sizes with CollectiveRounds, in one round. Collective.
std::vector<SizeTimes> measure_allreduce(RankContext& context, std::vector<std::int64_t> const& sizes);

/// Adds one sample to a size that has samples. The median of these samples determines the number of calls in
/// the new sample. Collective.
void add_sample(RankContext& context, SizeTimes& times);

/// Measures each verb at these sizes with CollectiveRounds, in one round. Returns the times of each size, one
/// verb after another. Collective.
std::vector<SizeTimes> measure_collectives(RankContext& context, std::vector<model::Verb> const& verbs,
                                           std::vector<std::int64_t> const& sizes);

/// Measures `total` bytes on the wire that are moved in several collectives of `piece` bytes each; the last
/// one may be smaller. Verifies the first and the last piece before it measures. Here a sample is the time
/// of all these collectives together, SizeTimes::bytes is `piece`, and SizeTimes::wrong is the sum over the
/// two verified pieces. For verbs with parts (has_parts()), the numbers of elements of `total` and `piece`
/// must be multiples of the number of ranks. Collective.
SizeTimes measure_pieces(RankContext& context, std::int64_t total, std::int64_t piece, int samples,
                         model::Verb verb = model::Verb::all_reduce);

/// Returns the median of each size as a table of a(x): bytes and seconds.
std::vector<model::CostPoint> to_table(std::vector<SizeTimes> const& times);

}  // namespace ddproxy
