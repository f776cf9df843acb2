# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tells which kind of interval of T a file has. The kind depends on the number of samples and on the version of ddproxy that wrote the file."""
import numpy as np

from . import derive

FEWEST = 6  # samples that a distribution-free 95 % interval of the median needs
WORDS = {"median": "95 % interval of the median", "mean": "Student's 95 % interval of the mean", "range": "range from minimum to maximum"}


def _kind(values, low, high):
    values = values[np.isfinite(values)]
    if not np.isfinite(low + high):
        return None
    if values.size >= FEWEST or not values.size:
        return "median"
    is_range = np.allclose((low, high), (values.min(), values.max()), rtol=1e-9, atol=0.0)
    return "range" if is_range else "mean"


def kinds(results):
    """Returns a key of WORDS for each case, or None for a case without an interval."""
    low, high = derive.column(results, "ci_low"), derive.column(results, "ci_high")
    return [_kind(*row) for row in zip(derive.samples(results), low, high)]


def counts(results):
    """Returns the number of samples of each case that count, [case]."""
    return np.isfinite(derive.samples(results)).sum(axis=1)


def described(results):
    """Returns a text for each case that describes its interval, or None if it has none. For a range from minimum to maximum, the text has the
    number of samples, too."""
    return [None if kind is None else f"{WORDS[kind]} of {count} sample{'' if count == 1 else 's'}" if kind == "range" else WORDS[kind]
            for kind, count in zip(kinds(results), counts(results))]


def sentence(count, kind, low, high):
    """Returns for example "the median of 5 samples (Student's 95 % interval of the mean: 1 ms to 2 ms)". `kind` is a key of WORDS, or None if there is
    no interval."""
    median = {0: "the median of the samples", 1: "the only sample"}.get(int(count), f"the median of {count} samples")
    return f"{median} ({WORDS[kind]}: {low} to {high})" if kind else median


def kind_of_steps(count):
    """Returns the key of WORDS for the intervals of a file of `ddproxy step` with this number of samples."""
    return "median" if count >= FEWEST else "mean"


def label(results, cases=slice(None)):
    """Returns the text of the legend for the error bars of these cases, one line for each kind of interval. Returns an empty text if no case
    has an interval."""
    of_cases = np.array(kinds(results), object)[cases]
    return "\nor ".join(WORDS[kind] for kind in WORDS if kind in of_cases)
