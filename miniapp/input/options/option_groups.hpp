// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "miniapp/input/options/options.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {

/// Returns a validator that accepts the words of a list.
template <class Words>
CLI::IsMember one_of(Words const& words) {
  std::vector<std::string> list;
  for (auto const& [word, meaning] : words) list.emplace_back(word);
  return CLI::IsMember(list);
}

/// Returns a note for the end of an error message about a word that is not in shard_stage_words(). The note
/// is " (ZeRO-3 is called fsdp)" for zero3, and empty for other words.
std::string note_on_stage(std::string_view word);

/// Returns a validator that accepts finite numbers above 0. CLI11's PositiveNumber also accepts NaN.
CLI::Validator positive_number();

/// Returns a validator that accepts finite numbers of at least 0.
CLI::Validator number_from_zero();

/// Returns a validator that accepts bucket sizes in MiB: see is_bucket_size() in miniapp/input/config.hpp.
CLI::Validator bucket_size();

/// Returns a validator that accepts message sizes in MiB: from one byte to 1e9 MiB.
CLI::Validator message_size();

/// Returns a validator that accepts shares: finite numbers of at least 0, for instance 0.05 for 5 %.
CLI::Validator share_of_one();

/// Adds --max-model-error and --max-regret, the limits of model error and regret (docs/glossary.md).
void add_limits(CLI::App& command, Options& options);

/// Adds --label. Returns this option, which `command` owns.
CLI::Option* add_label(CLI::App& command, Options& options);

/// Adds --trace. Returns this option, which `command` owns.
CLI::Option* add_trace(CLI::App& command, Options& options);

/// Adds --dry-run. Returns this option, which `command` owns.
CLI::Option* add_dry_run(CLI::App& command, Options& options);

/// Adds --resume, for the commands that continue an interrupted run. `command` must have --dry-run. Returns
/// this option, which `command` owns.
CLI::Option* add_resume(CLI::App& command, Options& options);

/// Adds --pieces and --total, for `allreduce` and `collectives`. Returns the option --pieces, which `command`
/// owns.
CLI::Option* add_pieces(CLI::App& command, Options& options);

/// Adds the options of `collectives` that choose what is measured: --op, --sizes, --pieces, --total,
/// --group and --strided.
void add_collectives_options(CLI::App& command, Options& options);

/// Adds --kokkos-num-threads, for the commands that measure.
void add_threads(CLI::App& command, Options& options);

/// Adds the commands run, layers, allreduce, collectives and sweep. Every function of this file that has an
/// argument `options` stores references to it in CLI11, which writes the parsed values there. `options` must
/// therefore outlive `app` and `command`.
void add_run_commands(CLI::App& app, Options& options);
/// Adds the command predict.
void add_predict_command(CLI::App& app, Options& options);
/// Adds --against, with which `step` needs neither an input file nor MPI. Returns this option, which
/// `command` owns.
CLI::Option* add_against(CLI::App& command, Options& options);
/// Adds the command step.
void add_step_command(CLI::App& app, Options& options);
/// Adds the command account.
void add_account_command(CLI::App& app, Options& options);
/// Adds the command memory.
void add_memory_command(CLI::App& app, Options& options);
/// Adds the command compare.
void add_compare_command(CLI::App& app, Options& options);

}  // namespace ddproxy
