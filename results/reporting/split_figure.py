# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where the time goes: compute only, communication only, one after the other, overlapped."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style

PARTS = {"compute": (style.SKY, ""), "communication": (style.OTHER, "//"), "slowdown": (style.GOOD, "xx"),
         "tail": (style.PREDICTED, ".."), "exposed": ("#E69F00", "\\\\")}


def chosen_cases(results):
    """One case a strategy: of the bucketed ones the best and PyTorch's default."""
    strategy, totals = results["/sweep/strategy"], derive.column(results, "measured_median")
    chosen = [int(np.flatnonzero(strategy == name)[0]) for name in ("naive", "flat", "per_tensor", "optimal") if name in strategy]
    best = derive.best_case(results, totals)
    caps = results["/sweep/bucket_bytes"] / 2.0**20
    default = np.flatnonzero((strategy == "bucketed") & (caps == derive.PYTORCH_DEFAULT_MIB))
    for index in [best, *default[:1]]:
        if index is not None and index not in chosen:
            chosen.append(int(index))
    return [c for c in chosen if np.isfinite(totals[c])]


def _middle(results, case):
    """Of the sample in the middle of T, of an even number the mean of both there: (T, T_compute, end of the backward pass).
    The medians of the parts are those of other samples, and add up to another time."""
    totals = derive.samples(results)[case]
    order = np.argsort(totals)[:np.isfinite(totals).sum()]  # NaN comes last
    if not order.size:
        return np.nan, np.nan, np.nan
    middle = order[[(order.size - 1) // 2, order.size // 2]]
    ends = derive.slowest(results, "backward_end")[case] if results.has("/sweep/backward_end") else np.full_like(totals, np.nan)
    return tuple(float(values[middle].mean()) for values in (totals, derive.slowest(results, "compute")[case], ends))


def measured_parts(results, case):
    """[(part, seconds)]: their sum is the median T. Where the noise makes compute the shorter one, its own bar shows that."""
    total, compute, end = _middle(results, case)
    if not np.isfinite(compute + end):  # PyTorch's cases have no end of the backward pass
        compute = min(np.nan_to_num(compute), total)
        return [("compute", compute), ("exposed", total - compute)]
    return [("compute", min(compute, end)), ("slowdown", max(0.0, end - compute)), ("tail", total - end)]


def _bars(results, case):
    """(label, [(part, seconds)]) of the four bars of a case."""
    compute, comm = derive.compute_seconds(results)[case], derive.column(results, "comm")[case]
    return [("compute only", [("compute", compute)]), ("communication only", [("communication", comm)]),
            ("one after the other", [("compute", compute), ("communication", comm)]),
            ("measured", measured_parts(results, case))]


def _stack(axes, position, parts, factor):
    start = 0.0
    for part, seconds in parts:
        colour, hatch = PARTS[part]
        width = max(0.0, float(np.nan_to_num(seconds))) * factor
        axes.barh(position, width, left=start, height=0.8, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
        start += width


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
        _stack(axes, tick, parts, factor)
    axes.set_yticks(ticks, [label for label, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time ({unit})\nmeasured: the sample with the median T")
    drawn = {part for _, parts in rows for part, _ in parts}
    for part, (colour, hatch) in ((name, look) for name, look in PARTS.items() if name in drawn):
        axes.barh(ticks[0], 0.0, color=colour, hatch=hatch, edgecolor="white", label=part)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=len(drawn), borderaxespad=0.3, columnspacing=1.0, handlelength=1.4)
    return figure

