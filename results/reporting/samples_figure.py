# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the distribution of the samples, with one row for each case and one dot for each sample."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter

from . import derive, intervals, style

# Distance: the absolute difference of a sample from the median of its case, in percent. If the largest distance is above FAR times the third quartile of all
# distances, the outer parts of the axis are logarithmic.
FAR = 8.0

APART = 0.08  # a tick is dropped if it is nearer to an outermost sample than this share of the axis


def deviations(results):
    """Returns (counted, left out), both [case, sample]: the deviation of each sample from the median T of its case, in percent. `counted` is NaN
    for samples that the figures leave out, and `left out` is NaN for all other samples."""
    every, counted = derive.of_every_sample(results, "measured"), derive.samples(results)
    middle = derive.column(results, "measured_median")[:, None]
    left_out = np.where(np.isfinite(counted), np.nan, every)
    return tuple((values / middle - 1.0) * 100.0 for values in (counted, left_out))


def _rows_apart(count):
    """Returns small vertical offsets that keep equal samples visible. They are the same in every run."""
    return (np.arange(count) * 0.618034 % 1.0 - 0.5) * 0.5


def _with_outermost(axes, ticks, ends):
    """Returns the ticks together with `ends`, sorted. `ends` are the outermost samples beyond the linear
    part. Drops ticks that are too near to one of `ends`, but keeps 0."""
    place = lambda value: axes.transAxes.inverted().transform(axes.transData.transform((value, 0.0)))[0]
    kept = [tick for tick in ticks if tick == 0.0 or all(abs(place(tick) - place(end)) > APART for end in ends)]
    return sorted([*kept, *ends])


def _decades(axes, linear):
    """Sets ticks at 0, near the ends of the linear part, and outside of it at powers of ten and at the outermost samples. Leaves room around the
    data."""
    low, high = min(axes.dataLim.xmin * 1.5, -linear), max(axes.dataLim.xmax * 1.5, linear)
    edge = float(f"{linear:.0e}")
    outside = [p for p in 10.0 ** np.arange(-2, 8) if 4.0 * edge < p <= max(-low, high)][::-1]
    powers = [edge, *outside[::max(1, -(-len(outside) // 2))][::-1]]
    axes.set_xlim(low, high)
    ticks = [-p for p in powers[::-1] if -p >= low] + [0.0] + [p for p in powers if p <= high]
    axes.set_xticks(_with_outermost(axes, ticks, [v for v in (axes.dataLim.xmin, axes.dataLim.xmax) if abs(v) > linear]))
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{float(f'{value:.2g}'):g}".replace("-", "\N{MINUS SIGN}")))


def _scale(axes, values):
    distance = np.sort(np.abs(values[np.isfinite(values)]))
    near = distance[int(0.75 * (distance.size - 1))]
    if distance[-1] > FAR * max(near, 0.01):
        linear = max(2.0 * near, 0.05)
        axes.set_xscale("symlog", linthresh=linear, linscale=2.0)
        _decades(axes, linear)
        axes.set_xlabel(f"T relative to the median of its case (%),\nlinear to \N{PLUS-MINUS SIGN}{linear:.2g} %, log scale beyond")
    else:
        axes.locator_params(axis="x", nbins=5)  # small numbers have long labels
        axes.set_xlabel("T relative to the median of its case (%)")


def _intervals(axes, results, rows):
    middle, low, high = (derive.column(results, n)[rows] for n in ("measured_median", "ci_low", "ci_high"))
    there = np.isfinite(low + high)
    ends = (np.array([low, high])[:, there] / middle[there] - 1.0) * 100.0
    if there.any():
        axes.hlines(np.flatnonzero(there), *ends, color=style.PREDICTED, linewidth=7, alpha=0.4, label=intervals.label(results, rows))


def draw_samples(results):
    """Returns the figure, or None if no case has two samples."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        return None
    counted, left_out = deviations(results)
    rows = np.flatnonzero(np.isfinite(counted).any(axis=1))
    if not rows.size or np.isfinite(counted).sum(axis=1).max() < 2:
        return None
    figure, axes = plt.subplots(figsize=(5.2, 1.3 + 0.3 * rows.size), layout="constrained")
    _intervals(axes, results, rows)
    for values, look, label in ((counted[rows], {"marker": "o", "color": style.MEASURED, "alpha": 0.75}, "sample"),
                                (left_out[rows], {"marker": "x", "color": style.GREY}, "sample left out (machine in another state)")):
        if np.isfinite(values).any():
            y = np.arange(rows.size)[:, None] + _rows_apart(values.shape[1])
            axes.plot(values.ravel(), y.ravel(), linestyle="none", markersize=4.5, label=label, **look)
    axes.axvline(0.0, color=style.GREY, linewidth=0.8)
    _scale(axes, counted[rows])
    names = derive.case_names(results)
    axes.set_yticks(range(rows.size), [f"{names[r]} ({np.isfinite(counted[r]).sum()})" for r in rows])
    axes.set_ylim(rows.size - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncol=1, borderaxespad=0.3)
    return figure
