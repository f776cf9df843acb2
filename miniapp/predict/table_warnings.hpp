// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

// Warnings about the table of a(x) that a prediction uses. x is bytes on the wire.

/// Returns a warning if the seconds of a table fall as bytes grow. The warning names the two sizes between
/// which they fall most. Returns an empty string otherwise. `table` is sorted by ascending bytes. It has the
/// times before TableCost takes their running maximum. `file` is the file of the table; the warning begins
/// with its name. An empty `file` means that this run measured the table.
std::string fall_warning(std::span<const model::CostPoint> table, std::filesystem::path const& file);

/// Collects the cases that have buckets smaller or larger than all sizes of a table of a(x).
class Extrapolation {
 public:
  /// Keeps a reference to `table`, which must outlive this object and must have at least one point.
  Extrapolation(std::span<const model::CostPoint> table, WireFormat wire) : table_(table), wire_(wire) {}

  /// Looks at the buckets of a case. `name` is the name of the case in the warning.
  void look(std::string const& name, model::Plan const& plan);
  /// Returns a warning that names the cases, and the smallest and the largest of their bucket sizes outside
  /// the table, in bytes on the wire. Returns an empty string if there are no such cases. `file` is the file
  /// of the table; empty: the table comes from no file.
  std::string warning(std::filesystem::path const& file) const;

 private:
  std::span<const model::CostPoint> table_;
  WireFormat wire_;
  std::vector<std::string> names_;
  std::int64_t smallest_ = 0, largest_ = 0;  // sizes outside the table, bytes on the wire; 0: none yet
};

}  // namespace ddproxy
