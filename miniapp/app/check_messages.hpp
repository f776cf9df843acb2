// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/workload.hpp"
#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Throws std::invalid_argument, naming the option, where --sizes, --pieces or --total is more than the
/// gradients of the model hold, or less than one element. A replay moves nothing, so its messages may be of
/// any size.
void check_sizes(Options const& options, Config const& config, Workload const& workload);

/// Throws std::invalid_argument, naming the table, where a replay has no times of a collective that `--op`
/// names, nor of one that stands for it.
void check_verbs(Options const& options, Config const& config);

}  // namespace ddproxy
