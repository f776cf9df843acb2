#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""link_rate.py LAYERS.json RANKS RHO   prints the rate of a shared link at which an all-reduce of all gradients takes RHO times as long as the backward pass.

LAYERS.json is the JSON file of `ddproxy layers`. The rate is in Mbit/s, a multiple of 100, and at least 100. All ranks send over the same link
(scripts/slow-link). A ring all-reduce of S bytes among n ranks sends 2 (n - 1) / n S bytes from each rank, so 2 (n - 1) S bytes pass the link. The time
of the backward pass is the moment at which its last gradient is ready. Exit code 2: the file is not a file of `ddproxy layers`, or the pass in it took no
time."""
import json
import sys


def link_rate(tables, ranks, rho):
    """Returns the rate in Mbit/s. `tables` are the tables of the JSON file."""
    on_link = 2 * (ranks - 1) * 4 * sum(tables["model"]["numel"])
    rate = 8 * on_link / (rho * max(tables["layers"]["ready"])) / 1e6
    return max(100, 100 * round(rate / 100))


def main():
    path, ranks, rho = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    try:
        with open(path, encoding="utf-8") as file:
            print(link_rate(json.load(file)["tables"], ranks, rho))
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError, OverflowError) as error:
        print(f"link_rate.py: {path} has no layer times of `ddproxy layers` ({error!r}); run `ddproxy layers INPUT --json {path}` again", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
