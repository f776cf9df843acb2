// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

// Warnings about the table of a(x) that a prediction uses. x is bytes on the wire.

/// Returns a warning if the seconds of the table fall as bytes grow. Returns an empty string otherwise.
std::string fall_warning(model::TableCost const& cost);

/// Returns a warning that the cases with these names have buckets outside the sizes of the table. Returns an
/// empty string if `cases` is empty.
std::string extrapolation_warning(std::vector<std::string> const& cases,
                                  std::span<const model::CostPoint> table);

/// Returns whether a plan has a bucket that is smaller or larger than all sizes of the table.
bool reaches_beyond(model::Plan const& plan, std::span<const model::CostPoint> table, WireFormat wire);

}  // namespace ddproxy
