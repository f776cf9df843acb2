// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The time of each operation of the backward pass, measured on all ranks at once. A sample is one backward
/// pass without communication.
struct OperationTimes {
  std::size_t ranks = 0, operations = 0, samples = 0;
  std::vector<double> seconds;  ///< [rank, operation, sample]; on rank 0 only
  model::Probes probes = {};    ///< of the machine's state, the same on all ranks
  double last_pass = 0;  ///< seconds of the last pass, the maximum over the ranks; the same on all ranks

  /// Returns the median seconds over the samples, [rank][operation]. On rank 0 only.
  std::vector<std::vector<double>> medians() const;
};

/// Times each operation in `samples` passes, after one pass that is not measured. On a host an operation ends
/// at a fence. On a device events mark the ends, and nothing interrupts the pass. Collective.
OperationTimes measure_layers(RankContext& context, int samples);

/// Adds samples of `passes` more passes to `times`, which may be empty. An unmeasured pass precedes them if
/// `times` is empty, or if a pass takes less than 50 ms, because such a short pass is slower after other
/// work. Replayed operations have one known sample, to which nothing is added. Collective.
void add_passes(RankContext& context, OperationTimes& times, int passes);

/// Returns the times of the samples whose indices `samples` lists.
OperationTimes with_samples(OperationTimes times, std::vector<std::size_t> const& samples);

/// The ready times of the gradients and T_compute, in seconds. Each is the maximum over the ranks.
struct ReadyTimes {
  std::vector<double> ready;  ///< [gradient] r_i
  double t_compute = 0;
};
/// Computes the ready times from the medians of `times`. On rank 0 only.
ReadyTimes slowest_ready(Workload const& workload, OperationTimes const& times);

/// The times of one collective of one message size. A sample is the time of several calls in a row, divided
/// by their number; it is the maximum over the ranks.
struct SizeTimes {
  std::int64_t bytes = 0;       ///< full size x, on the wire
  std::vector<double> seconds;  ///< [sample] of one call
  std::int64_t wrong = 0;       ///< wrong elements, the sum over all ranks; -1 if nothing was verified
  model::Probes probes = {};    ///< of the machine's state, the same on all ranks
  model::Verb verb = model::Verb::all_reduce;
};

/// Returns the full size x divided by the median time, in bytes/s.
double algorithm_bandwidth(SizeTimes const& times);
/// Returns the bytes that a collective of the full size x moves through the slowest link of a ring of n
/// ranks, divided by x: 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter and an all-gather, 1 for a
/// broadcast, a send and a receive. Source: nccl-tests, doc/PERFORMANCE.md.
double bus_factor(model::Verb verb, int ranks);
/// Returns algorithm_bandwidth() times bus_factor(), in bytes/s, for whatever algorithm ran.
double bus_bandwidth(SizeTimes const& times, int ranks);

/// Returns message sizes from 1 KiB to `largest` bytes, rising. Up to 64 KiB each size is four times the one
/// before, and then it is twice the one before. The last step is a factor of up to three.
std::vector<std::int64_t> message_sizes(std::int64_t largest);

/// Returns the sizes of `general` and of `buckets`, rising. Of bucket sizes within 10 % of each other only
/// the smallest is kept. A general size within 25 % of a kept bucket size is left out, unless it is the
/// smallest or the largest general size.
std::vector<std::int64_t> with_bucket_sizes(std::vector<std::int64_t> const& general,
                                            std::vector<std::int64_t> buckets);

/// Returns `calls` slices of `elements` elements each that follow each other in `region`. They continue
/// behind the first `before` slices of the same size, and start again at the beginning of the region when it
/// ends. The buckets of a pass follow each other like that. Calls that reduced the same slice again and again
/// would find it in the cache, but the buckets of a large model are not in the cache.
std::vector<Slice> consecutive_slices(Slice region, std::size_t elements, std::size_t calls,
                                      std::size_t before = 0);

/// Returns the sizes rounded up to multiples of `multiple` bytes, rising and without duplicates. A size that
/// would exceed `largest` is rounded down instead.
std::vector<std::int64_t> rounded_sizes(std::vector<std::int64_t> sizes, std::int64_t multiple,
                                        std::int64_t largest);

/// Carries out these collectives on the arena one after another, without compute. Returns the seconds of all
/// together, the maximum over the ranks. context.allreduce->finished() has the times of each. Collective.
double time_calls(RankContext& context, std::vector<CollectiveCall> const& calls);

/// Does the same for all-reduces of these slices of the arena. Collective.
double time_row(RankContext& context, std::vector<Slice> const& slices);

/// Measures the table of a(x), where x is bytes on the wire. All-reduces are carried out as in a step, and
/// their packing is included. For other verbs it measures rs(x), ag(x) and bc(x), with the MPI calls that
/// were chosen for all-reduces.
///
/// Problem: a machine drifts within minutes, so samples of one size taken in a row say little about the
/// minutes that follow. The samples are therefore spread over the rounds of a calibration:
///
///     CollectiveRounds table(context, sizes);  // verifies each size and finds the calls of a sample
///     for (round = 0; round < rounds; ++round) table.take(round, rounds);
///
/// Every method is collective; the times are the same on all ranks.
class CollectiveRounds {
 public:
  /// Prepares each verb at each size, in bytes on the wire. For verbs with parts (has_parts()), the elements
  /// of a size are a multiple of the number of ranks. `context` outlives the object.
  CollectiveRounds(RankContext& context, std::vector<std::int64_t> const& sizes,
                   std::vector<model::Verb> const& verbs = {model::Verb::all_reduce});
  /// Takes the samples of round `round` (from 0) of `rounds`. A size has 4 to 50 samples in all rounds, which
  /// take about 0.4 s together. Ends early if a signal arrived.
  void take(int round, int rounds);
  /// Returns the times of each size, one verb after another.
  std::vector<SizeTimes> const& times() const { return times_; }

 private:
  void add(SizeTimes times);

  RankContext* context_;
  std::vector<SizeTimes> times_;
  std::vector<int> calls_, samples_;  // [row] calls of a sample, and samples in all rounds
};

/// Measures a(x) at these sizes, all rounds at once. Collective.
std::vector<SizeTimes> measure_allreduce(RankContext& context, std::vector<std::int64_t> const& sizes);

/// Adds one sample to a size that has samples. The number of calls follows from their median. Collective.
void add_sample(RankContext& context, SizeTimes& times);

/// Measures each verb at these sizes, all rounds at once. Returns the times of each size, one verb after
/// another. Collective.
std::vector<SizeTimes> measure_collectives(RankContext& context, std::vector<model::Verb> const& verbs,
                                           std::vector<std::int64_t> const& sizes);

/// Measures collectives that move `total` bytes on the wire in pieces of `piece` bytes each; the last piece
/// may be shorter. A sample is the time of all pieces together. For verbs with parts (has_parts()), the
/// elements of both are multiples of the number of ranks. Collective.
SizeTimes measure_pieces(RankContext& context, std::int64_t total, std::int64_t piece, int samples,
                         model::Verb verb = model::Verb::all_reduce);

/// Returns the medians as a table of a(x).
std::vector<model::CostPoint> to_table(std::vector<SizeTimes> const& times);

}  // namespace ddproxy
