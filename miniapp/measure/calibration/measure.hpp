// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Seconds of each operation, measured on all ranks at once; a sample is one backward pass alone.
struct OperationTimes {
  std::size_t ranks = 0, operations = 0, samples = 0;
  std::vector<double> seconds;  ///< [rank, operation, sample]; on rank 0 only
  model::Probes probes = {};    ///< of the machine's state, the same on all ranks
  double last_pass = 0;         ///< seconds of the last pass, maximum over ranks; the same on all ranks

  /// Median over the samples, one rank after another: [rank][operation].
  std::vector<std::vector<double>> medians() const;
};

/// Times each operation, `samples` times after one unmeasured pass: on a host between two fences, on a device
/// by events in a pass that nothing interrupts. Collective.
OperationTimes measure_layers(RankContext& context, int samples);

/// Adds passes to times that have some or none. They are preceded by an unmeasured one where there was none
/// before, or where a pass takes less than 50 ms, because such a pass is slower after other work. Replayed
/// operations are known and keep their one sample. Collective.
void add_passes(RankContext& context, OperationTimes& times, int passes);

/// Returns the times with those samples alone, by their number.
OperationTimes with_samples(OperationTimes times, std::vector<std::size_t> const& samples);

/// r_i as the maximum over ranks, T_compute likewise.
struct ReadyTimes {
  std::vector<double> ready;
  double t_compute = 0;
};
ReadyTimes slowest_ready(Workload const& workload, OperationTimes const& times);

/// The times of one collective of one message size: a sample is several calls in a row divided by their
/// number, maximum over ranks.
struct SizeTimes {
  std::int64_t bytes = 0;  ///< of the full size x, on the wire
  std::vector<double> seconds;
  std::int64_t wrong = 0;     ///< elements over all ranks; -1 where nothing was reduced
  model::Probes probes = {};  ///< of the machine's state, the same on all ranks
  model::Verb verb = model::Verb::all_reduce;
};

/// Bytes over the median time, bytes/s.
double algorithm_bandwidth(SizeTimes const& times);
/// Returns the bytes that a collective of the full size x moves through the slowest link of a ring of n
/// ranks, over x (nccl-tests, doc/PERFORMANCE.md): 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter
/// and an all-gather, 1 for a broadcast, a send and a receive.
double bus_factor(model::Verb verb, int ranks);
/// Returns the algorithm bandwidth times bus_factor(), whatever algorithm ran.
double bus_bandwidth(SizeTimes const& times, int ranks);

/// Message sizes from 1 KiB to `largest` bytes: by factors of four, from 64 KiB on of two, the last of up
/// to three.
std::vector<std::int64_t> message_sizes(std::int64_t largest);

/// The sizes of `general` with those of `buckets`, rising. Buckets whose sizes lie within 10 % of each other
/// are represented by the smallest of them. A general size within 25 % of a bucket is left out, save the
/// smallest and the largest.
std::vector<std::int64_t> with_bucket_sizes(std::vector<std::int64_t> const& general,
                                            std::vector<std::int64_t> buckets);

/// Returns `calls` slices of `elements` elements each that follow each other in `region` and start again at
/// its beginning where it ends. The buckets of a pass lie like that. Calls that reduce the same slice again
/// and again find it in the cache, where the buckets of a large model are not. `before`: as many slices of
/// the same size were used before.
std::vector<Slice> consecutive_slices(Slice region, std::size_t elements, std::size_t calls,
                                      std::size_t before = 0);

/// Returns the sizes as multiples of `multiple` bytes: each is rounded up, and down where more than `largest`
/// bytes would come out. They rise, and none is there twice.
std::vector<std::int64_t> rounded_sizes(std::vector<std::int64_t> sizes, std::int64_t multiple,
                                        std::int64_t largest);

/// Carries out these collectives on the arena one after another, with nothing beside them. Returns seconds of
/// all together, the maximum over ranks; context.allreduce->finished() has each one. Collective.
double time_calls(RankContext& context, std::vector<CollectiveCall> const& calls);

/// The same with all-reduces of these slices of the arena.
double time_row(RankContext& context, std::vector<Slice> const& slices);

/// Measures a(x), x bytes on the wire, the way the pipeline reduces, its packing included; of other verbs
/// rs(x), ag(x) and bc(x), with the calls of MPI that were chosen for all-reduces. Problem: a machine drifts
/// within minutes, so samples of one size taken in a row say little about the minutes to come. The samples
/// are therefore spread over the rounds of a calibration:
///
///     CollectiveRounds table(context, sizes);  // verifies each size and finds how often it is called
///     for (round = 0; round < rounds; ++round) table.take(round, rounds);
///
/// Every method is collective; the times are the same on all ranks.
class CollectiveRounds {
 public:
  /// Each verb at each size. Of verbs with parts the sizes are multiples of the number of ranks.
  CollectiveRounds(RankContext& context, std::vector<std::int64_t> const& sizes,
                   std::vector<model::Verb> const& verbs = {model::Verb::all_reduce});
  /// Takes the samples of one round: of each size its share of 4 to 50 samples, about 0.4 s in all rounds.
  /// Ends early where a signal came.
  void take(int round, int rounds);
  std::vector<SizeTimes> const& times() const { return times_; }

 private:
  void add(SizeTimes times);

  RankContext* context_;
  std::vector<SizeTimes> times_;
  std::vector<int> calls_, samples_;  // of each row: calls of a sample, samples of all rounds
};

/// All rounds at once.
std::vector<SizeTimes> measure_allreduce(RankContext& context, std::vector<std::int64_t> const& sizes);

/// Adds one sample to a size that has some: as many calls as one sample of it has. Collective.
void add_sample(RankContext& context, SizeTimes& times);

/// The same for all verbs, verb by verb in the rows.
std::vector<SizeTimes> measure_collectives(RankContext& context, std::vector<model::Verb> const& verbs,
                                           std::vector<std::int64_t> const& sizes);

/// Measures a fixed total of bytes on the wire in pieces of `piece` bytes each, the last one shorter. Of
/// verbs with parts both are multiples of the number of ranks. Collective.
SizeTimes measure_pieces(RankContext& context, std::int64_t total, std::int64_t piece, int samples,
                         model::Verb verb = model::Verb::all_reduce);

/// The medians as a table of a(x).
std::vector<model::CostPoint> to_table(std::vector<SizeTimes> const& times);

}  // namespace ddproxy
