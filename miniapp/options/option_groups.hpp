// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Returns a validator that accepts finite numbers above 0. CLI11's PositiveNumber also accepts NaN.
CLI::Validator positive_number();

/// Returns a validator that accepts finite numbers from 0 on.
CLI::Validator number_from_zero();

/// Returns a validator that accepts bucket sizes in MiB, see is_bucket_size().
CLI::Validator bucket_size();

/// Returns a validator that accepts message sizes in MiB: from one byte to 1e9 MiB.
CLI::Validator message_size();

/// Returns a validator that accepts shares: finite numbers from 0 on, for instance 0.05 for 5 %.
CLI::Validator share_of_one();

/// Adds --max-model-error and --max-regret, the limits of the score.
void add_limits(CLI::App& command, Options& options);

/// Adds --label. Returns it; `command` owns it.
CLI::Option* add_label(CLI::App& command, Options& options);

/// Adds --dry-run. Returns it; `command` owns it.
CLI::Option* add_dry_run(CLI::App& command, Options& options);

/// Adds --pieces and --total, which `allreduce` and `collectives` have. Returns --pieces, which `command`
/// owns.
CLI::Option* add_pieces(CLI::App& command, Options& options);

/// Adds the options that `collectives` has in addition to those of all commands that measure.
void add_collectives_options(CLI::App& command, Options& options);

/// Adds run, layers, allreduce, collectives and sweep. While CLI11 parses, it stores the values in `options`,
/// which must outlive `app`. This holds for the functions below, too.
void add_run_commands(CLI::App& app, Options& options);
/// Adds predict.
void add_predict_command(CLI::App& app, Options& options);
/// Adds --against, with which `step` needs neither an input file nor MPI. Returns it; `command` owns it.
CLI::Option* add_against(CLI::App& command, Options& options);
/// Adds step.
void add_step_command(CLI::App& app, Options& options);
/// Adds compare.
void add_compare_command(CLI::App& app, Options& options);

}  // namespace ddproxy
