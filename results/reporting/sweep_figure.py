# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws T(b) and E(b), measured and predicted, over the bucket size."""
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgba

from . import broken_axis, derive, intervals, style
from .cases import Cases, capped, has_caps

TOTAL = ("measured_median", "ci_low", "ci_high", "predicted", "predicted_low", "predicted_high")
NEAR_EDGE = 0.25  # a label within this share of the axis from an edge is aligned to the edge
NO_CASE = np.array([], int)
NARROWEST = 0.003  # a band that is narrower than this share of the axis cannot be seen
ADDED = ((style.SKY, "v"), (style.GOOD, "P"), ("#E69F00", "X"))  # colour and marker of the other strategies with caps
EXPOSED = ("exposed", "exposed_low", "exposed_high", "predicted_exposed", "none", "none")


@dataclass
class Curve:
    """Holds the columns of /sweep that a curve needs, in the order of TOTAL and in the unit of the axis. `factor` converts seconds to this unit."""
    results: object
    cases: Cases
    factor: float
    columns: list

    def limits(self, anchor):
        """Returns the ends of the two segments of the axis, see broken_axis.limits(). The lower segment shows the measured medians and the predictions
        of the cases with a cap. The intervals of T or E extend this range by at most 0.4 times its length at each end, because intervals of few
        samples can be wide."""
        middle, low, high, predicted, *_ = self.columns
        caps = np.flatnonzero(self.cases.capped)
        main = np.concatenate([middle[caps], predicted[caps]])
        main = main[np.isfinite(main)]
        span = np.ptp(main) if main.size else 0.0
        ends = np.clip(np.concatenate([low[caps], high[caps]]), max(0.0, main.min() - 0.4 * span) if main.min() > 0 else main.min(), main.max() + 0.4 * span)
        beside = np.stack([v[self.cases.beside()] for v in (middle, predicted)])
        return broken_axis.limits(np.concatenate([main, ends[np.isfinite(ends)]]), beside, anchor)


def _curve(results, cases, names):
    values = [derive.column(results, n) for n in names]
    factor, unit = style.time_scale(np.fmax.reduce(np.abs(values[0])))
    return Curve(results, cases, factor, [v * factor for v in values]), unit


def _named(cases, word):
    """Returns the text of the legend for the line of `bucketed`. It has the name of the strategy only if other strategies have lines, too."""
    return f"bucketed, {word}" if cases.added_lines() and cases.line().size else word


def _measured(axes, curve, line, beside, colour, marker, name):
    cases, (middle, low, high, *_) = curve.cases, curve.columns
    bars = intervals.label(curve.results, np.concatenate([line, beside]))
    for chosen, line_style in ((line, "-"), (beside, "none")):
        is_named = line_style == "-" or not line.size
        if chosen.size:
            ends = np.vstack([middle[chosen] - low[chosen], high[chosen] - middle[chosen]])
            axes.errorbar(cases.x[chosen], middle[chosen], np.nan_to_num(np.abs(ends)), color=colour, marker=marker,
                          linestyle=line_style, capsize=3, markersize=5,
                          label=f"{name}: median and {bars}" if is_named and bars else name if is_named else None)


def _fills(low, high, ends):
    """Returns whether the band between `low` and `high` covers the axis at every bucket size. The axis shows the range `ends`."""
    return bool((low <= ends[0]).all() and (high >= ends[1]).all())


def _beyond(low, high, ends):
    """Returns a text if the values between `low` and `high` leave the axis, else an empty text. The axis shows the range `ends`."""
    sides = [word for word, out in (("below", low.min() < ends[0]), ("above", high.max() > ends[1])) if out]
    return f"; it extends {' and '.join(sides)} the axis" if sides else ""


def _predicted(axes, curve, ends, unit):
    cases, (_, _, _, values, low, high) = curve.cases, curve.columns
    line, beside = cases.line(), cases.beside()
    look = {"color": style.PREDICTED, "marker": "s", "markersize": 8, "markerfacecolor": "none", "zorder": 3}
    axes.plot(cases.x[line], values[line], linestyle="--", label=_named(cases, "predicted"), **look)
    axes.plot(cases.x[beside], values[beside], linestyle="none", **look)
    if not (line.size and np.isfinite(low[line]).all() and np.isfinite(high[line]).all()):
        return
    if _fills(low[line], high[line], ends):
        axes.plot([], [], linestyle="none",
                  label=f"95 % band of the predicted T ({style.number(low[line].min())} to {style.number(high[line].max())} {unit}):\nlarger than this axis, so it is not drawn")
    elif (high[line] - low[line]).max() < NARROWEST * (ends[1] - ends[0]):
        axes.plot([], [], linestyle="none", label="95 % band of the predicted T: narrower than the line")
    else:
        axes.fill_between(cases.x[line], low[line], high[line], facecolor=to_rgba(style.PREDICTED, 0.15),
                          edgecolor=to_rgba(style.PREDICTED, 0.4), linewidth=0.8,
                          label=f"95 % band of the predicted T{_beyond(low[line], high[line], ends)}")


def _added(axes, curve):
    """Draws a line for each strategy with caps except `bucketed`, with the name of the strategy in the legend."""
    x, predicted = curve.cases.x, curve.columns[3]
    for k, (name, line) in enumerate(curve.cases.added_lines().items()):
        colour, marker = ADDED[k % len(ADDED)]
        if np.isfinite(predicted[line]).any():
            axes.plot(x[line], predicted[line], linestyle="--", color=colour, marker=marker, markersize=8, markerfacecolor="none", label=f"{name}, predicted")
        _measured(axes, curve, line, NO_CASE, colour, marker, f"{name}, measured")


def _draw(axes, curve, ends, unit):
    cases = curve.cases
    if np.isfinite(curve.columns[3]).any():
        _predicted(axes, curve, ends, unit)
    _measured(axes, curve, cases.line(), cases.beside(), style.MEASURED, "o", _named(cases, "measured"))
    _added(axes, curve)
    if cases.line(ours=False).size:
        _measured(axes, curve, cases.line(ours=False), NO_CASE, style.OTHER, "^", "PyTorch DDP, measured")


def _mark_best(axes, curve, values, colour, marker, size, word):
    """Marks the bucketed cases with the smallest value and returns the index of the first one, or None if
    there is no value. Several cases have the smallest value if their caps make the same buckets."""
    line = curve.cases.line()
    if not np.isfinite(values[line]).any():
        return None
    best = line[np.nanargmin(values[line])]
    alike = [k for k in line if values[k] <= values[best] * (1.0 + 1e-9)]
    sizes = " and ".join(f"{curve.cases.mib[k]:g}" for k in alike)
    axes.plot(curve.cases.x[alike], values[alike], marker=marker, color=colour, markersize=size, markerfacecolor="none", zorder=4,
              markeredgewidth=2, linestyle="none", label=f"{word} best bucket size, of those that were run: {sizes} MiB")
    return best


def _name_best(axes, curve, best, unit):
    """Writes the best cap and its T at the foot of the axis, below the minimum. The text can cover the end of
    another case's interval. Its background is translucent, so the interval stays visible."""
    if best is not None:
        low, high = axes.get_xlim()
        x = (curve.cases.x[best] - low) / (high - low)
        side = "left" if x < NEAR_EDGE else "right" if x > 1.0 - NEAR_EDGE else "center"
        axes.annotate(f"best: {curve.cases.mib[best]:g} MiB, {curve.columns[0][best]:.4g} {unit}", ({"left": 0.0, "right": 1.0}.get(side, x), 0.0),
                      ({"left": 5, "right": -5}.get(side, 0), 5), xycoords="axes fraction", textcoords="offset points", ha=side,
                      va="bottom", fontsize=9, fontweight="bold", color=style.MEASURED,
                      bbox={"boxstyle": "round,pad=0.15", "facecolor": style.PAPER, "alpha": 0.8, "linewidth": 0}, zorder=5)


def _mark_cut(segments, curve):
    """Draws triangles at the edges of the axis where an interval continues beyond it."""
    cases, (_, low, high, *_) = curve.cases, curve.columns
    shown = cases.ours & np.isfinite(cases.x)
    for axes, edge, cut, marker in ((segments[-1], 0.0, low < segments[-1].get_ylim()[0], "v"),
                                    (segments[0], 1.0, high > segments[0].get_ylim()[1], "^")):
        if (cut & shown).any():
            x = cases.x[cut & shown]
            axes.plot(x, np.full(x.size, edge), transform=axes.get_xaxis_transform(), marker=marker, markersize=6, linestyle="none",
                      color=style.MEASURED, clip_on=False, zorder=5)
            segments[0].plot([], [], marker=marker, linestyle="none", color=style.MEASURED,
                             label=f"the interval extends {'above' if edge else 'below'} the axis")


def _shade_plateau(axes, cases, results):
    found = derive.plateau(results)
    if found:
        low, high = np.log2(found[0]) - 0.15, np.log2(found[1]) + 0.15
        words = "95 % interval of the predicted best bucket size\n(over all sizes, also those that were not run)" if results.has("/score/b_star_low") else "bucket sizes within the noise of the best"
        axes.axvspan(max(low, cases.split[0]), min(high, cases.split[1]), facecolor=to_rgba(style.GOOD, 0.13),
                     edgecolor=to_rgba(style.GOOD, 0.6), linewidth=0.8, label=words)


def _level(axes, value, bottom, unit, label, **look):
    """Draws a horizontal line. If it lies below the axis, writes its value in the legend."""
    if value >= bottom:
        axes.axhline(value, label=label, **look)
    else:
        axes.plot([], [], label=f"{label}: {value:.4g} {unit}, below this axis", **look)


def _where(values, predicted, bottom):
    """Returns words for a curve that cannot be seen, because it lies below the axis, or because the line of the prediction covers it. Returns an
    empty text if the curve can be seen."""
    if np.nanmax(values) < bottom:
        return ", below this axis"
    same = np.allclose(values, predicted, rtol=0.005, atol=0.0, equal_nan=True)
    return ": the same as predicted" if same else ""


def _baselines(axes, curve, bottom, unit):
    """Draws two simpler predictions, with which the model is compared, and the lower bound on E."""
    results, line, x, factor = curve.results, curve.cases.line(), curve.cases.x, curve.factor
    floor = float(results["/sweep/floor"]) * factor if results.has("/sweep/floor") else np.nan
    uncontended = derive.column(results, "uncontended")[line] * factor
    if np.isfinite(uncontended).any():
        axes.plot(x[line], uncontended, ":", color="#E69F00", linewidth=2,
                  label=f"predicted without contention{_where(uncontended, curve.columns[3][line], bottom)}")
    if line.size:
        constant = derive.best_constant(curve.columns[0][line], derive.column(results, "measured_median")[line] * factor)
        axes.plot(x[line], np.full(line.size, constant), "-.", color=style.GREY, linewidth=1, label="one E for all bucket sizes, fitted to the measured E")
    if np.isfinite(floor):
        _level(axes, floor, bottom, unit, "lower bound on E", color=style.GOOD, linewidth=1.5)


def _finish(figure, axes, cases, label):
    cases.label(axes[-1])
    for position in cases.split if len(axes) > 1 else ():
        axes[0].axvline(position, color="#808080", linewidth=0.6, alpha=0.6)
    figure.supylabel(label, fontsize=10)
    style.legend_above(axes[0], 1)


def _draw_total(figure, cases, results):
    curve, unit = _curve(results, cases, TOTAL)
    compute = derive.median(derive.compute_seconds(results)) * curve.factor
    lower, upper = curve.limits(compute)
    segments = broken_axis.segments(figure, lower, upper)
    for axes in segments:
        _shade_plateau(axes, cases, results)
        _draw(axes, curve, (lower[0], (upper or lower)[1]), unit)
        best = _mark_best(axes, curve, curve.columns[0], style.MEASURED, "*", 13, "measured")
        _mark_best(axes, curve, curve.columns[3], style.PREDICTED, "D", 13, "predicted")
        _level(axes, compute, lower[0], unit, "T_compute (median of all cases)", color=style.GREY, linestyle=":")
    _name_best(segments[-1], curve, best, unit)
    _mark_cut(segments, curve)
    _finish(figure, segments, cases, f"T: backward pass with all-reduces ({unit})")


def _draw_exposed(figure, cases, results):
    curve, unit = _curve(results, cases, EXPOSED)
    lower, upper = curve.limits(0.0)
    segments = broken_axis.segments(figure, lower, upper)
    for axes in segments:
        _draw(axes, curve, (lower[0], (upper or lower)[1]), unit)
        _baselines(axes, curve, lower[0], unit)
    _mark_cut(segments, curve)
    _finish(figure, segments, cases, f"E = T − T_compute: exposed communication ({unit})")


def draw_sweep(results):
    """Returns a figure of T(b), and below it E(b) with its lower bound and two simpler predictions. Returns None if no bucket size was measured."""
    if not results.has("/sweep/strategy", "/sweep/measured") or not has_caps(results):
        return None
    if not np.isfinite(derive.column(results, "measured_median")[capped(results)]).any():
        return None  # the run was killed before its first round
    cases = Cases(results)
    figure = plt.figure(figsize=(5.2, 11.0), layout="constrained")
    for part, draw in zip(figure.subfigures(2, 1), (_draw_total, _draw_exposed)):
        draw(part, cases, results)
    return figure
