// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/input/workload.hpp"
#include "miniapp/measure/sweep/sweep.hpp"
#include "model/predict/graph/live_memory.hpp"
#include "results/file/writer.hpp"

namespace ddproxy {

/// Collects the columns of /timeline, and the columns of /memory that follow from the same traces. Call
/// add_case() for each case in order, then write().
///
/// An event is a compute task, a copy or a collective. Host waits and groups of transfers
/// (std::vector<Collective>) are no events.
class TimelineColumns {
 public:
  /// Adds the events of all ranks of a case, and the live buffers of rank 0. Either all cases have a
  /// prediction, or none has one.
  void add_case(Workload const& workload, CaseTimeline const& item);
  /// Writes the columns. Writes the phases only if a case is a whole step. Writes the predicted times and the
  /// predicted bytes of live buffers only if the cases have predictions.
  void write(results::Writer& writer) const;

 private:
  // `predicted` has the live buffers of item.predicted.
  void add_rank(Workload const& workload, CaseTimeline const& item, model::LiveMemory const& predicted,
                std::size_t on_rank);
  void write_kinds(results::Writer& writer) const;

  std::vector<std::int64_t> first_, count_;                              // [case]
  std::vector<std::int64_t> rank_, live_bytes_start_, live_bytes_end_;   // [event]
  std::vector<std::int64_t> predicted_live_start_, predicted_live_end_;  // [event]
  std::vector<double> start_, end_, predicted_start_, predicted_end_;    // [event]
  std::vector<std::string> resource_, label_, phase_;                    // [event]
  std::vector<model::LiveMemory> memory_;  // [case] of rank 0; without a sample all bytes are -1
  bool has_whole_steps_ = false;
};

}  // namespace ddproxy
