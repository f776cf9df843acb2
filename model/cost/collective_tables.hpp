// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "model/cost/allreduce_cost.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// The table of another verb, and the share of its time.
struct Substitute {
  Verb verb;
  double share;
};

/// Returns what stands for a verb that was not measured: half of an all-reduce for a reduce-scatter and for
/// an all-gather, because an all-reduce consists of one of each. Nothing for the other verbs.
std::optional<Substitute> substitute_of(Verb verb);

/// Measured times of collectives, alone on the machine: one table for each verb and number of ranks. Bytes
/// are the full size x on the wire. A send and its receive are one transfer and have one table.
class CollectiveTables {
 public:
  /// Stands for every number of ranks, in a file that does not say it.
  static constexpr int any_ranks = 0;

  /// A table that is asked for, its own (share 1) or the substitute's.
  struct Source {
    TableCost const* table;  ///< valid until the next set()
    double share;
    double operator()(std::int64_t bytes) const { return share * (*table)(bytes); }
  };

  /// Sets the table of a verb over groups of `ranks` ranks.
  void set(Verb verb, int ranks, TableCost cost);
  /// Returns the table of a verb over groups of `ranks` ranks, else that of any number of ranks; nullptr
  /// where there is neither. Valid until the next set().
  TableCost const* find(Verb verb, int ranks) const;
  /// Returns the table of a verb, or of its substitute; nothing where neither has one.
  std::optional<Source> source(Verb verb, int ranks) const;

 private:
  std::map<std::pair<Verb, int>, TableCost> tables_;
};

/// Reads `verb,ranks,bytes,seconds`, as `ddproxy collectives` writes it. `verb` and `ranks` may be missing:
/// the rows are then all-reduces, and of any number of ranks. Verbs and groups with a single size are left
/// out, since one size makes no table. Errors as the readers of csv.hpp.
CollectiveTables read_collectives(std::filesystem::path const& file);

}  // namespace ddproxy::model
