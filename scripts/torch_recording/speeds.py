# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Computes kappa and gamma from times, as docs/model.md defines them. Needs no torch."""
from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

LARGEST_MESSAGE = 64 * 2**20
SIZES = 6
TARGET_SECONDS = 0.1  # duration of one sample, unless a single call takes longer
MOST_REPETITIONS = 100000
LEAST_SHARE = 0.1  # lower limit for the share of the calls that ran while compute ran
SLOWEST_TOLD = 0.001  # lower limit of kappa and gamma; a smaller value only says that compute or the collective made no progress


def speeds(compute_alone: float, collective_alone: float, compute_beside: float, collective_beside: float) -> tuple[float, ...]:
    """Returns (kappa, gamma), the relative speeds of compute and of the collective while both run, in [0.001, 1]. Assumes that after
    one of them has ended, the other one continues at full speed. The arguments are the seconds of compute and of the collective, each without
    the other (alone), and started at the same time (beside)."""
    both = min(compute_beside, collective_beside)
    alone_and_beside = ((compute_alone, compute_beside), (collective_alone, collective_beside))
    return tuple(min(1.0, max(SLOWEST_TOLD, (alone - (beside - both)) / both)) for alone, beside in alone_and_beside)


def rebalanced(repetitions: int, calls: int, calls_alone: float, compute_beside: float, collective_beside: float) -> tuple[int, ...]:
    """Returns the number of repetitions of compute and the number of calls that end together after
    TARGET_SECONDS. Computes them from a sample that was measured with `repetitions` and `calls`. Times are in
    seconds."""
    share = max(1 - max(collective_beside - compute_beside, 0) / calls_alone, LEAST_SHARE)  # share of the calls that ran with compute
    call, product = min(compute_beside, collective_beside) / (share * calls), compute_beside / repetitions
    seconds = max(TARGET_SECONDS, product, call)
    return tuple(max(1, min(MOST_REPETITIONS, int(seconds / each))) for each in (product, call))


def sizes(smallest: int, total: int) -> list[int]:
    """Returns at most SIZES sizes in bytes, in ascending order, with equal steps on a log scale. They go from `smallest` to `total`, but at most
    to LARGEST_MESSAGE."""
    largest = min(total, LARGEST_MESSAGE)
    return sorted({4 * round(smallest * (largest / smallest) ** (i / (SIZES - 1)) / 4) for i in range(SIZES)})


def alone_seconds(table: Sequence[tuple[int, Sequence[float]]]) -> dict[int, float]:
    """Returns {bytes: a(bytes)} of a table [(bytes, [seconds of each sample])] with ascending bytes. Takes medians and then their
    running maximum, as ddproxy does."""
    medians = (statistics.median(seconds) for _, seconds in table)
    return dict(zip((size for size, _ in table), itertools.accumulate(medians, max)))
