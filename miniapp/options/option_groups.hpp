// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// As CLI11's PositiveNumber, which lets NaN pass.
CLI::Validator positive_number();

/// 0 or more, finite.
CLI::Validator number_from_zero();

/// See is_bucket_size().
CLI::Validator bucket_size();

/// A size of a message in MiB: from a byte to 1e9 MiB.
CLI::Validator message_size();

/// 0 or more, finite: a share of something.
CLI::Validator share_of_one();

/// --max-model-error and --max-regret, limits of the score.
void add_limits(CLI::App& command, Options& options);

/// --pieces and --total of `allreduce` and `collectives`. Returns --pieces.
CLI::Option* add_pieces(CLI::App& command, Options& options);

/// The options that `collectives` has beside those of the other measuring commands.
void add_collectives_options(CLI::App& command, Options& options);

// The commands of each family; every parsed value goes into `options`, which must outlive the parse.
void add_run_commands(CLI::App& app, Options& options);
void add_predict_command(CLI::App& app, Options& options);
void add_compare_command(CLI::App& app, Options& options);

}  // namespace ddproxy
