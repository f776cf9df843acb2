// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/predict/analysis/step_figures.hpp"

namespace ddproxy {

/// Returns a line that says what was verified on `ranks` ranks. `reduces` is true if the collectives were
/// carried out, and false if they were replayed.
std::string verification_text(bool reduces, int ranks);

/// Returns the tables that `ddproxy step` prints: a heading, a table with a row for each part of the step and
/// its measured and predicted times in ms, a table with the busy time of each lane and the bubble, a table
/// with the share of each kind of operator in compute, and lines with the global batch, the sharding, the
/// waits of the host, the loss, the throughput and the model flops. Without lanes the second table is left
/// out. `cap_mib` is the cap of the buckets in MiB.
std::string step_table(StepFigures const& figures, Config const& config, double cap_mib);

}  // namespace ddproxy
