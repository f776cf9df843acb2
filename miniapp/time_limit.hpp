// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/allreduce.hpp"

namespace ddproxy {

/// Throws std::runtime_error, naming rank and elements, where a reduction under way began longer ago than
/// allreduce.timeout_s allows.
void check_time_limit(Reduction const& reduction, int rank, double timeout_s);

}  // namespace ddproxy
