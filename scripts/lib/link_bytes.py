#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""link_bytes.py RESULT.json RANKS BYTES   checks that the all-reduces of a run went over the limited link.

RESULT.json is the JSON file of `ddproxy run` or `sweep`. BYTES is the file that scripts/slow-link wrote (SLOW_LINK_BYTES). Each sample of a case reduces
all gradients once. With n ranks and S bytes of gradients, 2 (n - 1) S bytes then pass the link (scripts/lib/link_rate.py). The run also reduces outside
its samples, which is not counted here. Exit code 4: less than half of these bytes passed the link, so the MPI library used another way. Exit code 2: a
file cannot be read, or lacks the data."""
import json
import sys

MIB = 2**20


def least_bytes(tables, ranks):
    """Returns the bytes that all samples together send. `tables` are the tables of the JSON file. A sample that was not taken is null for all ranks."""
    samples = sum(any(seconds is not None for seconds in sample) for case in tables["sweep"]["measured"] for sample in case)
    return 2 * (ranks - 1) * 4 * sum(tables["model"]["numel"]) * samples


def main():
    result, ranks, counted = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    try:
        with open(result, encoding="utf-8") as file:
            least = least_bytes(json.load(file)["tables"], ranks)
        with open(counted, encoding="utf-8") as file:
            passed = int(file.read())
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"link_bytes.py: {result} or {counted} does not have what the check of the link needs: {error!r}", file=sys.stderr)
        sys.exit(2)
    numbers = f"{passed / MIB:.0f} MiB passed the limited link, and the samples send {least / MIB:.0f} MiB"
    if passed < least / 2:
        print(f"ddproxy: the link was NOT used by this MPI: only {numbers}. Do not use {result} and the files beside it: their label says that the link "
              "was limited, but most all-reduces did not use the limited link. Set the variables with which your MPI library uses TCP on the loopback between ranks of one node (scripts/slow-link sets "
              "those of Open MPI, and of MPICH over UCX), and run again", file=sys.stderr)
        sys.exit(4)
    print(f"ddproxy: {numbers}", file=sys.stderr)


if __name__ == "__main__":
    main()
