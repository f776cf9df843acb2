# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws where the time goes: compute alone, communication alone, their sum, and the measured T."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, plausible, style

SHOWN_SLOWDOWN = 0.01  # a slowdown above this share of T is labelled
SHOWN_PART = 0.002  # a part is in the legend if it takes at least this share of the axis in some bar. A narrower part cannot be seen
PARTS = {"compute": (style.SKY, ""), "communication": (style.OTHER, "//"), "slowdown": (style.GOOD, "xx"),
         "tail": (style.PREDICTED, ".."), "exposed": ("#E69F00", "\\\\")}


def chosen_cases(results):
    """Returns the indices of the cases to draw: those of naive, flat, per_tensor and optimal, the best bucketed case, and the bucketed case with
    PyTorch's default cap."""
    strategy, totals = results["/sweep/strategy"], derive.column(results, "measured_median")
    chosen = [int(np.flatnonzero(strategy == name)[0]) for name in ("naive", "flat", "per_tensor", "optimal") if name in strategy]
    best = derive.best_case(results, totals)
    caps = results["/sweep/bucket_bytes"] / 2.0**20
    default = np.flatnonzero((strategy == "bucketed") & (caps == derive.PYTORCH_DEFAULT_MIB))
    for index in [best, *default[:1]]:
        if index is not None and index not in chosen:
            chosen.append(int(index))
    return [c for c in chosen if np.isfinite(totals[c])]


def measured_parts(results, case):
    """Returns [(part, seconds)]. The sum of the seconds is the median T. The parts are compute, slowdown and tail; for a case of PyTorch they
    are compute and exposed. Slowdown, tail and exposed are the medians of the table "Every case", a negative one as 0. Compute is the rest."""
    total, tail, slowdown, exposed = (float(derive.column(results, name)[case]) for name in ("measured_median", "tail", "slowdown", "exposed"))
    if not np.isfinite(total):
        return [("compute", 0.0)]
    if not np.isfinite(tail):  # PyTorch's cases do not record the end of the backward pass
        exposed = min(max(0.0, np.nan_to_num(exposed)), total)
        return [("compute", total - exposed), ("exposed", exposed)]
    tail = min(max(0.0, tail), total)
    slowdown = min(max(0.0, np.nan_to_num(slowdown)), total - tail)
    return [("compute", max(0.0, total - slowdown - tail)), ("slowdown", slowdown), ("tail", tail)]


def _bars(results, case):
    """Returns (label, [(part, seconds)]) for the four bars of a case."""
    compute, comm = derive.compute_seconds(results)[case], derive.comm_seconds(results)[case]
    return [("compute only", [("compute", compute)]), ("communication only", [("communication", comm)]),
            ("compute + communication", [("compute", compute), ("communication", comm)]),
            ("measured", measured_parts(results, case))]


def caption(results):
    """Returns a sentence about the drawn cases whose median tail is larger than their median E. Returns an empty text if there are none."""
    tails = plausible.tails_above_exposed(results)
    above = [case for case in chosen_cases(results) if tails[case]]
    if not above:
        return ""
    return (f" In {', '.join(derive.case_names(results)[above])} the median tail is larger than the median E. The two medians are taken separately, and in some samples the slowdown was "
            "below 0, so E was smaller than the tail.")


def _stack(axes, position, parts, factor):
    start = 0.0
    for part, seconds in parts:
        colour, hatch = PARTS[part]
        width = max(0.0, float(np.nan_to_num(seconds))) * factor
        axes.barh(position, width, left=start, height=0.8, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
        start += width
    return start


def _say_slowdown(axes, position, end, parts, factor, unit):
    """Labels the measured bar with the slowdown if that is above 1 % of T."""
    slowdown, total = dict(parts).get("slowdown", 0.0), sum(seconds for _, seconds in parts)
    if total > 0.0 and slowdown > SHOWN_SLOWDOWN * total:
        axes.annotate(f"slowdown {slowdown * factor:.3g} {unit}", (end, position), (4, 0), textcoords="offset points", va="center",
                      fontsize=8)


def draw_split(results):
    cases = chosen_cases(results)
    if not cases or not results.has("/sweep/compute"):
        return None
    names = derive.case_names(results)
    rows = [(f"{names[case]}: {label}" if k == 0 else label, parts)
            for case in cases for k, (label, parts) in enumerate(_bars(results, case))]
    longest = max(sum(np.nan_to_num(v) for _, v in parts) for _, parts in rows)
    factor, unit = style.time_scale(longest)
    figure, axes = plt.subplots(figsize=(5.2, 0.9 + 0.26 * len(rows) + 0.12 * len(cases)), layout="constrained")
    ticks = [k + 0.6 * (k // 4) for k in range(len(rows))]
    for tick, (_, parts) in zip(ticks, rows):
        _say_slowdown(axes, tick, _stack(axes, tick, parts, factor), parts, factor, unit)
    axes.set_xlim(0.0, longest * factor * 1.05)
    axes.set_yticks(ticks, [label for label, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time ({unit})")
    drawn = {part for _, parts in rows for part, seconds in parts if np.nan_to_num(seconds) >= SHOWN_PART * longest}
    for part, (colour, hatch) in ((name, look) for name, look in PARTS.items() if name in drawn):
        axes.barh(ticks[0], 0.0, color=colour, hatch=hatch, edgecolor="white", label=part)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=len(drawn), borderaxespad=0.3, columnspacing=1.0, handlelength=1.4)
    return figure

