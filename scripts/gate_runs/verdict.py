# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `ddproxy compare` on the files of the rounds."""
import json
import pathlib
import shlex
import subprocess
import tempfile

from gate_runs.arguments import judge_options, output_options
from gate_runs.failure import RUN_FAILED, UNDECIDED, USAGE, Failed, say

FEWEST_ROUNDS = 7  # compare cannot decide with fewer rounds


def run_compare(program, *words, **how):
    """Runs `ddproxy compare` and returns the finished process. Raises Failed for any exit code except 0, 1, 2 and 5, so that a failure is
    never taken for a verdict."""
    line = [str(program), "compare", *map(str, words)]
    done = subprocess.run(line, check=False, **how)
    if done.returncode not in (0, 1, USAGE, UNDECIDED):
        raise Failed(RUN_FAILED, f"compare failed with exit code {done.returncode}\n  command: {shlex.join(line)}")
    return done


def files_of(sides, rounds):
    return [word for option, side in (("--base", sides[0]), ("--new", sides[1]))
            for word in (option, *(side.file(k) for k in range(1, rounds + 1)))]


def keep_night(sides, rounds, session, options):
    """Stores the rounds as a night of the history. Returns the exit code of `ddproxy compare --history`. For the first night,
    which cannot be compared yet, returns 5, or 0 with --allow-undecided."""
    night = options.history / f"{session}.night.json"
    if run_compare(options.judge, *files_of(sides, rounds), *judge_options(options), "--night", night, "--allow-undecided").returncode == USAGE:
        raise Failed(RUN_FAILED, f"{night} could not be written, so this night is missing from the history; correct the error above, and store the night with "
                     f"--rounds-of {options.rounds_of or options.out}")
    if len(list(options.history.glob("*.night.json"))) < 2:
        say(f"{options.history} holds its first night; the history can be tested from the second night on")
        return 0 if options.allow_undecided else UNDECIDED
    print(flush=True)
    return run_compare(options.judge, "--history", options.history, *judge_options(options), *output_options(options)).returncode


def sensitivity(sides, rounds, options):
    """Returns the JSON output of `ddproxy compare`. It has the smallest slowdowns that these rounds can find."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "auto.json"
        done = run_compare(options.judge, *files_of(sides, rounds), *judge_options(options), "--json", path, capture_output=True, text=True)
        if done.returncode == USAGE:
            raise Failed(USAGE, done.stderr.strip())
        return json.loads(path.read_text())


def finds_three_percent(found, rounds):
    """Returns whether these rounds are precise enough to find a slowdown of 3 %: of the mean over all cases, and of a single case with median
    noise."""
    smallest = (found[f"smallest_found_of_{what}"] for what in ("all_cases", "one_case"))
    return rounds >= FEWEST_ROUNDS and all(share is not None and share <= 0.03 for share in smallest)


def check_compare(options):
    """Rejects options that `ddproxy compare` would otherwise reject only after everything has been measured."""
    history = []
    if options.history:
        options.history.mkdir(parents=True, exist_ok=True)
        history = ["--history", options.history]
    done = run_compare(options.judge, "--dry-run", *history, *judge_options(options), *output_options(options), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(USAGE, done.stderr.strip() or f"{options.judge} compare --dry-run failed with exit code {done.returncode}")
