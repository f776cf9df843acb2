// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

// What is to be said of a prediction's table of a(x), by bytes on the wire; empty where nothing is.

/// Its seconds fall as bytes grow.
std::string fall_warning(model::TableCost const& cost);

/// These cases have buckets outside its sizes.
std::string extrapolation_warning(std::vector<std::string> const& cases,
                                  std::span<const model::CostPoint> table);

/// Whether a case has such a bucket.
bool reaches_beyond(model::Plan const& plan, std::span<const model::CostPoint> table, WireFormat wire);

}  // namespace ddproxy
