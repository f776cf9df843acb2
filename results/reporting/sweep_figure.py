# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""T(b) and E(b), measured and predicted, over the bucket size."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style
from .cases import Cases, has_caps


def _measured(axes, cases, middle, low, high, ours, colour, marker, label):
    line, beside = cases.line(ours), cases.beside() if ours else np.array([], int)
    for chosen, style_of_line in ((line, "-"), (beside, "none")):
        if chosen.size:
            ends = np.vstack([middle[chosen] - low[chosen], high[chosen] - middle[chosen]])
            axes.errorbar(cases.x[chosen], middle[chosen], np.nan_to_num(np.abs(ends)), color=colour, marker=marker,
                          linestyle=style_of_line, capsize=3, markersize=5, label=label if style_of_line == "-" else None)


def _predicted(axes, cases, values, low, high):
    line, beside = cases.line(), cases.beside()
    look = {"color": style.PREDICTED, "marker": "s", "markersize": 8, "markerfacecolor": "none", "zorder": 3}
    axes.plot(cases.x[line], values[line], linestyle="--", label="predicted", **look)
    axes.plot(cases.x[beside], values[beside], linestyle="none", **look)
    if np.isfinite(low[line]).all() and np.isfinite(high[line]).all():
        axes.fill_between(cases.x[line], low[line], high[line], color=style.PREDICTED, alpha=0.15, linewidth=0)


def _samples(axes, cases, results, factor):
    """Each sample, small, to the right of its case."""
    values = derive.samples(results) * factor
    for case in np.flatnonzero(np.isfinite(cases.x) & cases.ours):
        axes.plot(np.full(values.shape[1], cases.x[case] + 0.2), values[case], ".", color=style.MEASURED, alpha=0.5, markersize=3)


def _mark_best(axes, cases, values, colour, marker, size, word):
    line = cases.line()
    if np.isfinite(values[line]).any():
        best = line[np.nanargmin(values[line])]
        axes.plot(cases.x[best], values[best], marker=marker, color=colour, markersize=size, markerfacecolor="none", zorder=4,
                  markeredgewidth=2, linestyle="none", label=f"best {word} of those run: {cases.mib[best]:g} MiB")


def _shade_plateau(axes, cases, results):
    found = derive.plateau(results)
    if found:
        low, high = np.log2(found[0]) - 0.15, np.log2(found[1]) + 0.15
        axes.axvspan(max(low, cases.split[0]), min(high, cases.split[1]), color=style.GOOD, alpha=0.13, linewidth=0,
                     label="best of all caps, by the model, 95 %" if results.has("/score/b_star_low") else "plateau: as good as the best")


def _draw(axes, cases, results, names, factor):
    middle, low, high, predicted, band_low, band_high = (derive.column(results, n) * factor for n in names)
    if np.isfinite(predicted).any():
        _predicted(axes, cases, predicted, band_low, band_high)
    _measured(axes, cases, middle, low, high, True, style.MEASURED, "o", "measured, 95 % interval")
    if cases.line(ours=False).size:
        _measured(axes, cases, middle, low, high, False, style.OTHER, "^", "PyTorch DDP, measured")
    return middle, predicted


def _baselines(axes, cases, results, factor):
    """What a prediction has to be better than, and what no plan can beat."""
    line = cases.line()
    floor = float(results["/sweep/floor"]) if results.has("/sweep/floor") else np.nan
    constant = derive.median(derive.column(results, "exposed")[line]) * factor
    if np.isfinite(derive.column(results, "uncontended")[line]).any():
        axes.plot(cases.x[line], derive.column(results, "uncontended")[line] * factor, ":", color="#E69F00", linewidth=2, label="without contention")
    axes.plot(cases.x[line], np.full(line.size, constant), "-.", color=style.GREY, linewidth=1, label="a constant")
    if np.isfinite(floor):
        axes.axhline(floor * factor, color=style.GOOD, linewidth=1.5, label="floor: no plan is below")


def _draw_total(axes, cases, results):
    factor, unit = style.time_scale(np.fmax.reduce(derive.column(results, "measured_median")))
    _shade_plateau(axes, cases, results)
    _samples(axes, cases, results, factor)
    names = ("measured_median", "ci_low", "ci_high", "predicted", "predicted_low", "predicted_high")
    middle, predicted = _draw(axes, cases, results, names, factor)
    _mark_best(axes, cases, middle, style.MEASURED, "*", 11, "measured")
    _mark_best(axes, cases, predicted, style.PREDICTED, "D", 13, "predicted")
    compute = derive.median(derive.compute_seconds(results)) * factor
    axes.axhline(compute, color=style.GREY, linestyle=":", label="T_compute: no communication")
    axes.set_ylabel(f"T: backward and all-reduce ({unit})")


def _draw_exposed(axes, cases, results):
    factor, unit = style.time_scale(np.fmax.reduce(np.abs(derive.column(results, "exposed"))))
    _draw(axes, cases, results, ("exposed", "exposed_low", "exposed_high", "predicted_exposed", "none", "none"), factor)
    _baselines(axes, cases, results, factor)
    axes.set_ylabel(f"E = T − T_compute: exposed ({unit})")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))


def draw_sweep(results):
    """T(b) above, E(b) with its floor and baselines below."""
    if not results.has("/sweep/strategy", "/sweep/measured") or not has_caps(results):
        return None
    cases = Cases(results)
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(5.2, 8.4), layout="constrained")
    for axes, draw in ((upper, _draw_total), (lower, _draw_exposed)):
        draw(axes, cases, results)
        cases.label(axes)
        style.legend_above(axes)
    return figure
