// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/app/record/resume_check.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/options/options.hpp"
#include "miniapp/input/options/output_clash.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Finds the rounds that `--resume` continues. Prints a line that names the file and says how many rounds are
/// continued. If `--resume auto` finds nothing to continue, prints why. Returns no rounds in this case, and
/// without --resume. If another run still writes the file, `--resume auto` prints nothing: this run fails
/// when it creates its own file, and then says why. The result is complete on rank 0; the other ranks get
/// only the number of rounds. Collective.
///
/// Throws CollectiveError (exit code 2) if the file that `--resume` names cannot be continued. There may be
/// several reasons, for example another host and a changed input. One of them is the message of the
/// exception. The others are printed to standard error before, a line for each.
EarlierRounds find_earlier_rounds(Options const& options, Config const& config, Runtime const& runtime);

/// Throws std::invalid_argument if one of the files to be written would overwrite the file that --resume
/// names. There is one exception: with `-o FILE`, --resume may name FILE.part. A new run does not overwrite
/// this file, because it renames an old FILE.part before it creates a new one.
void refuse_overwriting_earlier(Options const& options, std::vector<UsedFile> written);

/// Returns a line for the end of a run that continued `earlier`. It says from which rounds the figures are
/// computed, and where the earlier rounds are. `own` is the number of rounds of this run. Returns an empty
/// text if this run continued no rounds.
std::string resumed_text(Options const& options, EarlierRounds const& earlier, std::size_t own);

}  // namespace ddproxy
