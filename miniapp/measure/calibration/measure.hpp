// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Seconds of each operation, measured on all ranks at once; on rank 0 only.
struct OperationTimes {
  std::size_t ranks = 0, operations = 0, samples = 0;
  std::vector<double> seconds;  ///< [rank, operation, sample]

  /// Median over the samples, one rank after another: [rank][operation].
  std::vector<std::vector<double>> medians() const;
};

/// Times each operation, `samples` times after one unmeasured pass: on a host between two fences, on a device
/// by events in a pass that nothing interrupts. Collective.
OperationTimes measure_layers(RankContext& context, int samples);

/// r_i as the maximum over ranks, T_compute likewise.
struct ReadyTimes {
  std::vector<double> ready;
  double t_compute = 0;
};
ReadyTimes slowest_ready(Workload const& workload, OperationTimes const& times);

/// The times of one message size: a sample is several calls in a row divided by their number, maximum over
/// ranks.
struct SizeTimes {
  std::int64_t bytes = 0;  ///< on the wire
  std::vector<double> seconds;
  std::int64_t wrong = 0;     ///< elements over all ranks; -1 where nothing was reduced
  model::Probes probes = {};  ///< of the machine's state, the same on all ranks
};

/// Bytes over the median time, bytes/s.
double algorithm_bandwidth(SizeTimes const& times);
/// The same times 2(n-1)/n, of the bytes on the wire: the traffic of a ring, whatever algorithm ran
/// (nccl-tests, doc/PERFORMANCE.md); 0 for one rank.
double bus_bandwidth(SizeTimes const& times, int ranks);

/// Message sizes from 1 KiB to `largest` bytes: by factors of four, from 64 KiB on of two, the last of up
/// to three.
std::vector<std::int64_t> message_sizes(std::int64_t largest);

/// Reduces these slices of the arena one after another, with nothing beside them. Returns seconds of all
/// together, the maximum over ranks; context.allreduce->reduced() has each one. Collective.
double time_row(RankContext& context, std::vector<Slice> const& slices);

/// Measures a(x), x bytes on the wire, the way the pipeline reduces, its packing included. Collective; the
/// same on all ranks.
std::vector<SizeTimes> measure_allreduce(RankContext& context, std::vector<std::int64_t> const& sizes);

/// Adds one sample to a size that has some: as many calls as one sample of it has. Collective.
void add_sample(RankContext& context, SizeTimes& times);

/// A fixed total of bytes on the wire reduced in pieces of `piece` bytes each, the last one shorter.
/// Collective.
SizeTimes measure_pieces(RankContext& context, std::int64_t total, std::int64_t piece, int samples);

/// The medians as a table of a(x).
std::vector<model::CostPoint> to_table(std::vector<SizeTimes> const& times);

}  // namespace ddproxy
