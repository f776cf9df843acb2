# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""T(b) and E(b), measured and predicted, over the bucket size."""
import matplotlib.pyplot as plt
import numpy as np

from . import style
from .data import MIB, ReportError

LEFT, RIGHT = ("per_tensor",), ("optimal", "flat", "naive")
NAMES = {"per_tensor": "per\ntensor", "optimal": "optimal\nplan", "flat": "flat", "naive": "naive"}


class Cases:
    """The sweep's cases and where they lie on the horizontal axis: log2 of the cap in MiB, the strategies beside it."""

    def __init__(self, results):
        self.strategy = results["/sweep/strategy"]
        self.ours = results["/sweep/source"] != "pytorch"
        self.mib = results["/sweep/bucket_bytes"] / MIB
        bucketed = self.strategy == "bucketed"
        if not bucketed.any():
            raise ReportError(f"{results.path}: has no bucketed case to draw")
        self.x = np.where(bucketed, np.log2(np.where(bucketed, self.mib, 1.0)), np.nan)
        low, high = np.nanmin(self.x), np.nanmax(self.x)
        self.edges = {}
        for k, name in enumerate(n for n in LEFT if n in self.strategy):
            self.edges[name] = low - 1.3 * (k + 1)
        for k, name in enumerate(n for n in RIGHT if n in self.strategy):
            self.edges[name] = high + 1.3 * (k + 1)
        for name, position in self.edges.items():
            self.x[self.strategy == name] = position
        self.bucketed = bucketed
        self.split = (low - 0.65, high + 0.65)

    def label(self, axes):
        caps = sorted(set(self.mib[self.bucketed]))
        axes.set_xticks([np.log2(c) for c in caps] + list(self.edges.values()),
                        [f"{c:g}" for c in caps] + [NAMES[n] for n in self.edges])
        for position in self.split:
            axes.axvline(position, color=style.GREY, linewidth=0.6, alpha=0.5)

    def line(self, ours=True):
        """Indices of the bucketed cases, by cap."""
        chosen = np.flatnonzero(self.bucketed & (self.ours == ours))
        return chosen[np.argsort(self.x[chosen], kind="stable")]

    def beside(self):
        return np.flatnonzero(~self.bucketed & np.isfinite(self.x) & self.ours)


def _measured(axes, cases, middle, low, high, ours, colour, marker, label):
    line, beside = cases.line(ours), cases.beside() if ours else np.array([], int)
    for chosen, style_of_line in ((line, "-"), (beside, "none")):
        if chosen.size:
            spread = np.nan_to_num(np.abs(np.vstack([middle[chosen] - low[chosen], high[chosen] - middle[chosen]])))
            axes.errorbar(cases.x[chosen], middle[chosen], spread, color=colour, marker=marker, linestyle=style_of_line,
                          capsize=3, markersize=6, label=label if style_of_line == "-" else None)


def _predicted(axes, cases, values, low, high):
    line, beside = cases.line(), cases.beside()
    axes.plot(cases.x[line], values[line], color=style.PREDICTED, marker="s", markersize=9, markerfacecolor="none",
              linestyle="--", zorder=3, label="predicted")
    axes.plot(cases.x[beside], values[beside], color=style.PREDICTED, marker="s", markersize=9, markerfacecolor="none",
              linestyle="none", zorder=3)
    if np.isfinite(low[line]).all() and np.isfinite(high[line]).all():
        axes.fill_between(cases.x[line], low[line], high[line], color=style.PREDICTED, alpha=0.15, linewidth=0)


def _samples(axes, cases, results, factor):
    """Each sample's maximum over ranks, small."""
    samples = np.fmax.reduce(results["/sweep/measured"], axis=2) * factor  # fmax passes over NaN
    for case in np.flatnonzero(np.isfinite(cases.x) & cases.ours):
        axes.plot(np.full(samples.shape[1], cases.x[case]), samples[case], ".", color=style.MEASURED, alpha=0.35,
                  markersize=4)


def _mark_best(axes, cases, values, colour, marker, word):
    line = cases.line()
    if not line.size or not np.isfinite(values[line]).any():
        return
    best = line[np.nanargmin(values[line])]
    axes.plot(cases.x[best], values[best], marker=marker, color=colour, markersize=15, markerfacecolor="none",
              markeredgewidth=2, linestyle="none", label=f"best {word}: {cases.mib[best]:g} MiB")


def _column(results, name, otherwise):
    return results["/sweep/" + name] if results.has("/sweep/" + name) else otherwise


def _draw(axes, cases, results, names, factor):
    middle = results["/sweep/" + names[0]] * factor
    nothing = np.full(middle.shape, np.nan)
    low, high = (_column(results, n, nothing) * factor for n in names[1:3])
    predicted, band_low, band_high = (_column(results, n, nothing) * factor for n in names[3:6])
    if np.isfinite(predicted).any():
        _predicted(axes, cases, predicted, band_low, band_high)
    _measured(axes, cases, middle, low, high, True, style.MEASURED, "o", "measured, median and 95 % interval")
    if cases.line(ours=False).size:
        _measured(axes, cases, middle, low, high, False, style.OTHER, "^", "PyTorch DDP, measured")
    return middle, predicted


def draw_sweep(results):
    """Returns the figure: T(b) above, E(b) below."""
    cases = Cases(results)
    factor, unit = style.time_scale(np.fmax.reduce(results["/sweep/measured_median"]))
    figure, (upper, lower) = plt.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [3, 2]}, layout="constrained")
    _samples(upper, cases, results, factor)
    names = ("measured_median", "ci_low", "ci_high", "predicted", "predicted_low", "predicted_high")
    middle, predicted = _draw(upper, cases, results, names, factor)
    _mark_best(upper, cases, middle, style.MEASURED, "*", "measured")
    _mark_best(upper, cases, predicted, style.PREDICTED, "D", "predicted")
    upper.set_ylabel(f"T: backward and all-reduce ({unit})")
    upper.set_title(results.title())
    upper.legend(loc="best")
    exposed = results["/sweep/exposed"]
    factor, unit = style.time_scale(np.fmax.reduce(np.abs(exposed)))
    _draw(lower, cases, results, ("exposed", "exposed_low", "exposed_high", "predicted_exposed", "none", "none"), factor)
    lower.set_ylabel(f"E: exposed\ncommunication ({unit})")
    lower.set_xlabel("bucket size (MiB), logarithmic; beside it the strategies that have none")
    lower.set_ylim(bottom=min(0.0, lower.get_ylim()[0]))
    cases.label(upper)
    cases.label(lower)
    return figure
