// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/workload.hpp"
#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Checks --sizes, --pieces and --total. Throws std::invalid_argument that names the option if a size is
/// larger than the gradients of the model, if a piece is larger than the total, or if a size or piece is
/// smaller than one element. A replay moves no data, so its sizes may be larger than the gradients.
void check_sizes(Options const& options, Config const& config, Workload const& workload);

/// Checks the collectives of --op. Throws std::invalid_argument that names the table if all-reduces are
/// replayed and the table has no times of a collective, nor of another collective that can replace the
/// missing one.
void check_verbs(Options const& options, Config const& config);

}  // namespace ddproxy
