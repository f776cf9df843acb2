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
/// which they fall most. Returns an empty string otherwise. `table` has the times before TableCost takes
/// their running maximum, by ascending bytes. `file` is the file of the table, with which the warning begins;
/// empty: this run measured the table.
std::string fall_warning(std::span<const model::CostPoint> table, std::filesystem::path const& file);

/// Collects the cases that have buckets smaller or larger than all sizes of a table of a(x).
class Extrapolation {
 public:
  /// Takes references only. `table` must have at least one point, and it must outlive this object.
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
  std::int64_t smallest_ = 0, largest_ = 0;  // outside the table; 0: none yet
};

}  // namespace ddproxy
