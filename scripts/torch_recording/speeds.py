# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""kappa and gamma from times, as docs/model.md defines them: arithmetic only, no torch."""
import itertools
import statistics

LARGEST_MESSAGE = 64 * 2**20
SIZES = 6
TARGET_SECONDS = 0.1  # of one sample, where a call does not take longer
MOST_REPETITIONS = 100000
LEAST_SHARE = 0.1  # less cannot be told
SLOWEST_TOLD = 0.001  # below it, times say only that one of the two stood still


def speeds(compute_alone, collective_alone, compute_beside, collective_beside):
    """kappa and gamma: while both run each advances at its own, whichever is left runs at full speed. Within (0, 1]."""
    both = min(compute_beside, collective_beside)
    alone_and_beside = ((compute_alone, compute_beside), (collective_alone, collective_beside))
    return tuple(min(1.0, max(SLOWEST_TOLD, (alone - (beside - both)) / both)) for alone, beside in alone_and_beside)


def rebalanced(repetitions, calls, calls_alone, compute_beside, collective_beside):
    """Repetitions of compute and calls that end together and take TARGET_SECONDS, from a sample of others; seconds."""
    share = max(1 - max(collective_beside - compute_beside, 0) / calls_alone, LEAST_SHARE)  # of the calls, beside compute
    call, product = min(compute_beside, collective_beside) / (share * calls), compute_beside / repetitions
    seconds = max(TARGET_SECONDS, product, call)
    return tuple(max(1, min(MOST_REPETITIONS, int(seconds / each))) for each in (product, call))


def sizes(smallest, total):
    """Bytes, from the smallest gradient to LARGEST_MESSAGE, in equal steps of the logarithm."""
    largest = min(total, LARGEST_MESSAGE)
    return sorted({4 * round(smallest * (largest / smallest) ** (i / (SIZES - 1)) / 4) for i in range(SIZES)})


def alone_seconds(table):
    """{bytes: a(bytes)} of a table [(bytes, [seconds of each sample])], rising bytes: medians, and their running maximum, as
    ddproxy takes them."""
    medians = (statistics.median(seconds) for _, seconds in table)
    return dict(zip((size for size, _ in table), itertools.accumulate(medians, max)))
