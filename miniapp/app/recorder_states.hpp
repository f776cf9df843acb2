// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/predict/machine_state.hpp"
#include "results/file/writer.hpp"

namespace ddproxy {

/// Writes PREFIXprobe_before and PREFIXprobe_after [row, sample], NaN where a row has fewer than `samples`;
/// nothing where nothing was probed.
void write_probes(results::Writer& writer, std::string const& prefix, std::vector<model::Probes> const& rows,
                  std::size_t samples);

}  // namespace ddproxy
