# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Computes medians with their 95 % intervals. model/statistics/median_interval.hpp has the same definitions.

This is a second implementation, because the scripts run without the C++ programs. Tests compare both with ctest/model/median_intervals.csv."""
from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

FEWEST = 6  # samples that an interval between two order statistics needs
# Student's t quantile at 97.5 %, by the number of values
STUDENT = {2: 12.706204736175, 3: 4.302652729749, 4: 3.182446305284, 5: 2.776445105198}


def place_of_bound(count: int) -> int:
    """Returns the index k of the lower bound. `values` are `count` sorted samples of any distribution. k is
    the largest index for which the median of the distribution lies below values[k] with a probability of at
    most 2.5 %. `count` must be at least FEWEST."""
    below, k = 0, 0
    while 40 * (below + math.comb(count, k)) <= 2**count:  # integers, because 2**count may be too large for a float
        below += math.comb(count, k)
        k += 1
    return k - 1


def student_interval(values: Sequence[float]) -> tuple[float, float]:
    """Returns the ends of Student's 95 % interval of the mean of two to five values."""
    middle, half = statistics.fmean(values), STUDENT[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return middle - half, middle + half


def median_interval(values: Iterable[float]) -> tuple[float, float, float]:
    """Returns the median and the ends of its 95 % interval. From six values on they are order statistics. For two to five values they are
    the ends of Student's interval of the mean, which assumes that the values are normally distributed. For one value they are NaN."""
    ordered = sorted(values)
    if len(ordered) >= FEWEST:
        k = place_of_bound(len(ordered))
        ends = ordered[k], ordered[-1 - k]
    else:
        ends = student_interval(ordered) if len(ordered) > 1 else (math.nan, math.nan)
    return statistics.median(ordered), *ends


def paired_ratio(numerators: Iterable[float], denominators: Iterable[float]) -> tuple[float, float, float]:
    """Returns the median of the ratios of pairs and the ends of its 95 % interval. The two values of a pair were measured one shortly after
    the other. So a machine that is slow for a while slows both, and their ratio hardly changes."""
    return median_interval([a / b for a, b in zip(numerators, denominators)])
