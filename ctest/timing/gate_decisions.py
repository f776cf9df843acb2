# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""gate_decisions.py DDPROXY_MODEL SESSION... [--group 16] [--resample 0] [--at-most N | --at-least N]

Repeats the decisions of scripts/gate on stored rounds. SESSION is a folder of base-NNN.h5 and new-NNN.h5 from one start of the gate. Divides the rounds of a
session into consecutive groups of --group rounds, and compares base with new in each group; these decisions are independent. With --resample N, also compares
base with new in N random groups of each session. No group has a round twice, but the groups share rounds, so these decisions are not independent. Prints how
often each decision occurred. --at-most N fails if more than N independent decisions are "slower"; --at-least N fails if fewer than N are."""
import argparse
import collections
import concurrent.futures
import pathlib
import random
import subprocess
import sys

NAMES = {0: "unchanged", 1: "slower", 5: "undecided"}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("sessions", nargs="+", type=pathlib.Path)
    parser.add_argument("--group", type=int, default=16)
    parser.add_argument("--resample", type=int, default=0)
    parser.add_argument("--at-most", type=int)
    parser.add_argument("--at-least", type=int)
    return parser.parse_args()


def rounds_of(session):
    numbers = sorted(int(path.stem.split("-")[1]) for path in session.glob("new-*.h5"))
    return [(session / f"base-{n:03}.h5", session / f"new-{n:03}.h5") for n in numbers]


def decide(model, rounds):
    """Returns the exit code of `ddproxy compare` and the last line that it printed."""
    done = subprocess.run([model, "compare", "--base", *(str(b) for b, _ in rounds), "--new", *(str(n) for _, n in rounds)],
                          capture_output=True, text=True, check=False)
    assert done.returncode in NAMES, done
    return done.returncode, done.stdout.strip().splitlines()[-1]


def decide_all(model, groups):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda group: decide(model, group), groups))


def count(what, decisions):
    counts = collections.Counter(code for code, _ in decisions)
    print(f"{what}: " + ", ".join(f"{counts[code]} {name}" for code, name in NAMES.items()) + f" of {len(decisions)}", flush=True)
    return counts[1]


def main():
    opts = options()
    slower = 0
    for session in opts.sessions:
        rounds = rounds_of(session)
        groups = [rounds[k:k + opts.group] for k in range(0, len(rounds) - opts.group + 1, opts.group)]
        decisions = decide_all(opts.model, groups)
        for number, (code, text) in enumerate(decisions, 1):
            print(f"{number:3} {text}")
        slower += count(f"{session.name}, {len(groups)} groups of {opts.group} rounds", decisions)
        if opts.resample:
            picker = random.Random(1)
            count(f"{session.name}, {opts.resample} resampled groups",
                  decide_all(opts.model, [picker.sample(rounds, opts.group) for _ in range(opts.resample)]))
    return (opts.at_most is not None and slower > opts.at_most) or (opts.at_least is not None and slower < opts.at_least)


if __name__ == "__main__":
    sys.exit(main())
