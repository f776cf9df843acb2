// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ctest/bench/collective_rows.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy::bench {

/// Registers the rows of NCCL's collectives on device memory: ddproxy's lane in turns with a plain loop of
/// the same NCCL calls. The first of these rows that runs makes the communicators. `runtime` must outlive the
/// rows. Exists only in builds for a device with NCCL.
void register_nccl_rows(Runtime const& runtime, Settings const& settings);

}  // namespace ddproxy::bench
