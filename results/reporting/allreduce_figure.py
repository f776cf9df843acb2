# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a(x): its measured times, its affine fit, a published table, and the bus bandwidth."""
import csv

import matplotlib.pyplot as plt
import numpy as np

from . import derive, style
from .errors import ReportError

NARROWEST = 1.02  # the band from minimum to maximum is drawn only if at some size the maximum is larger than this factor times the minimum; a narrower band cannot be seen
PUBLISHED_RANKS = 8  # number of ranks of inputs/published/allreduce-8xa100-1node.csv; the file does not state it


def read_reference(path):
    """Returns (bytes, seconds, ranks) of a published table with the columns bytes, seconds and optionally ranks. If the table has several
    numbers of ranks, returns the rows with the largest one. `ranks` is None if the table does not state it. Raises ReportError if the
    file cannot be read, or is no such table."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = [(number, line) for number, line in enumerate(file, 1) if line.strip() and not line.startswith("#")]
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: cannot be read: {error}") from error
    rows = [_reference_row(path, number, row) for (number, _), row in zip(lines[1:], csv.DictReader(line for _, line in lines))]
    if not rows:
        raise ReportError(f"{path}: has no rows; give a table with the columns bytes,seconds")
    ranks = max((r[2] for r in rows if r[2]), default=None)
    values = np.array([r[:2] for r in rows if r[2] == ranks])
    return values[:, 0], values[:, 1], ranks


def _reference_row(path, number, row):
    try:
        size, seconds = float(row["bytes"]), float(row["seconds"])
        ranks = int(row["ranks"]) if row.get("ranks") else None
    except (KeyError, TypeError, ValueError) as error:
        raise ReportError(f"{path}:{number}: is not a row of a table with the columns bytes,seconds: {error}") from error
    if not (0 < size < np.inf and 0 < seconds < np.inf and (ranks is None or ranks > 0)):
        raise ReportError(f"{path}:{number}: bytes, seconds and ranks must be above 0 and finite")
    return size, seconds, ranks


def fit(results):
    """Returns (alpha, beta) of a(x) = alpha + x / beta, in seconds and bytes per second. If the file has the values of the calibration,
    returns those. Otherwise fits them by least squares of the relative error. Returns None if no fit is possible."""
    if results.has("/calibration/alpha", "/calibration/beta"):
        return float(results["/calibration/alpha"]), float(results["/calibration/beta"])
    x, y = np.asarray(results["/allreduce/bytes"], float), derive.median(results["/allreduce/seconds"], 1)
    good = (x > 0) & (y > 0)
    if good.sum() < 2:
        return None
    (alpha, slope), *_ = np.linalg.lstsq(np.stack([1.0 / y[good], x[good] / y[good]], axis=1), np.ones(good.sum()), rcond=None)
    return (alpha, 1.0 / slope) if slope > 0 else None


def size_ticks(axes, sizes):
    low, high = np.log2(max(1.0, np.min(sizes))), np.log2(np.max(sizes))
    step = max(2, int(np.ceil((high - low) / 7.0 / 2.0)) * 2)
    shown = [2.0**k for k in range(int(np.ceil(low)), int(high) + 1, step)] or sorted(set(sizes))
    axes.set_xticks(shown, [style.size(v) for v in shown])
    axes.set_xticks([], [], minor=True)
    axes.set_xlabel("message size (log scale)")


def measured_with_nccl(results):
    """Returns whether NCCL measured a(x) on GPUs."""
    backend = results.attribute("/sweep", "backend", "")
    return backend == "nccl" or (not backend and str(results.attribute("/provenance", "allreduce", "")).startswith("nccl"))


def is_machine_of_published(results):
    """Returns whether NCCL measured a(x) on eight A100 of one host. Only then is the published table from the same kind of machine."""
    if not (measured_with_nccl(results) and results.has("/provenance/device", "/provenance/host")):
        return False
    devices, hosts = results["/provenance/device"], results["/provenance/host"]
    return len(devices) == PUBLISHED_RANKS and all("A100" in str(device) for device in devices) and len(set(hosts)) == 1


def is_replayed(results):
    """Returns whether the all-reduces took their times from a table."""
    return results.attribute("/sweep", "backend", "") == "replay" or str(results.attribute("/provenance", "allreduce", "")).startswith("replay")


def draw_allreduce(results, reference=None):
    """Returns a figure of a(x), with the bus bandwidth below it. Leaves out the bandwidth if neither the file nor `reference` has one: one
    rank sends nothing. Returns None if the file has no a(x). `reference` is the result of command.reference()."""
    if not results.has("/allreduce/bytes", "/allreduce/seconds"):
        return None
    x, seconds = np.asarray(results["/allreduce/bytes"], float), results["/allreduce/seconds"]
    busbw = results["/allreduce/busbw"] if results.has("/allreduce/busbw") else np.zeros(x.size)
    has_bandwidth = bool((busbw > 0).any()) or (reference is not None and (reference[1][2] or 1) > 1)
    figure, panels = plt.subplots(1 + has_bandwidth, 1, sharex=True, squeeze=False, figsize=(5.2, 6.2 if has_bandwidth else 3.6), layout="constrained")
    upper, lower = panels[0, 0], panels[-1, 0]  # the same one if there is no bandwidth
    low, high = np.fmin.reduce(seconds, 1), np.fmax.reduce(seconds, 1)
    if (high > NARROWEST * low).any():
        upper.fill_between(x, low, high, color=style.SKY, alpha=0.4, linewidth=0, label="minimum to maximum")
    upper.plot(x, derive.median(seconds, 1), "o-", color=style.MEASURED, markersize=4, label=f"{'replayed' if is_replayed(results) else 'measured'}, median")
    fitted = fit(results)
    if fitted:
        line = fitted[0] + x / fitted[1]
        # The error compares the line with the drawn times. In a replay the line is the fit of the table, and the times are those of the replay.
        off = np.nanmean(np.abs(line / derive.median(seconds, 1) - 1.0))
        upper.plot(x, line, "--", color=style.PREDICTED,
                   label=f"fit: {fitted[0] * 1e6:.3g} µs + x / {fitted[1] / 1e9:.3g} GB/s, mean error {derive.percent(off, 0)}")
    if (busbw > 0).any():
        lower.plot(x, busbw, "o-", color=style.MEASURED, markersize=4)
    if reference is not None:
        _draw_reference(upper, lower, reference)
    upper.set(xscale="log", yscale="log", ylabel="time a(x) of one all-reduce\nof x bytes (s, log scale)")
    if has_bandwidth:
        lower.set(xscale="log", yscale="log", ylabel="bus bandwidth\n(GB/s, log scale)")
        style.plain_log_labels(lower)
    size_ticks(lower, x if reference is None else np.concatenate([x, reference[1][0]]))
    style.legend_above(upper)
    return figure


def _draw_reference(upper, lower, reference):
    """Draws the published times, and the bus bandwidth if the table states its number of ranks."""
    name, (sizes, seconds, ranks) = reference
    look = {"color": style.OTHER, "marker": "^", "markersize": 4, "linestyle": ":"}
    upper.plot(sizes, seconds, label=f"published: {name}", **look)
    if ranks and ranks > 1:
        lower.plot(sizes, sizes / seconds / 1e9 * 2.0 * (ranks - 1.0) / ranks, **look)
