// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "miniapp/input/config.hpp"
#include "miniapp/input/toml/section.hpp"

namespace ddproxy {

/// The largest number of ranks in an input. This limit and the other upper limits of an input are far above
/// the size of any machine or model, and small enough that no number of bytes or flops overflows.
inline constexpr std::int64_t most_ranks = 10000000;

/// Reads the sections of an input that say what is trained: [model], [step], [shard] and [optimizer]. `root`
/// is the TOML table of the whole file config.file. Throws std::invalid_argument with one line that names the
/// file and the key, if a value is wrong or a key is unknown.
void read_training(Config& config, toml::table const& root);

}  // namespace ddproxy
