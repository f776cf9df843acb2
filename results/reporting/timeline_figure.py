# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of one case: a row for compute, a row for communication, the exposed part shaded."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style

ROWS = {"compute": 1.0, "communication": 0.0}


def has_timeline(results, case):
    return results.has("/timeline/first", "/timeline/count", "/timeline/start") and results["/timeline/count"][case] > 0


def _events(results, case):
    """(start, end, resource) of the case's events on the rank that is there first."""
    first, count = int(results["/timeline/first"][case]), int(results["/timeline/count"][case])
    part = slice(first, first + count)
    start, end, resource = (results["/timeline/" + n][part] for n in ("start", "end", "resource"))
    if results.has("/timeline/event_rank"):
        rank = results["/timeline/event_rank"][part]
        start, end, resource = (v[rank == rank.min()] for v in (start, end, resource))
    return start, end, resource


def title(results, case):
    return f"{derive.case_names(results)[case]}: {results.title()}, last sample"


def _last_compute(results, case):
    """T_compute beside the sample that the timeline is of."""
    of_samples = derive.of_every_sample(results, "compute")[case] if results.has("/sweep/compute") else np.array([np.nan])
    known = of_samples[np.isfinite(of_samples)]
    return float(known[-1]) if known.size else np.nan


def draw_timeline(results, case):
    start, end, resource = _events(results, case)
    factor, unit = style.time_scale(float(np.max(end)))
    figure, axes = plt.subplots(figsize=(5.2, 1.9), layout="constrained")
    for name, colours in (("compute", (style.MEASURED, style.SKY)), ("communication", (style.PREDICTED, "#E69F00"))):
        chosen = np.flatnonzero(resource == name)
        for parity in (0, 1):  # neighbours differ in colour, so that each bucket can be seen
            spans = [(start[k] * factor, (end[k] - start[k]) * factor) for k in chosen[parity::2]]
            axes.broken_barh(spans, (ROWS[name] - 0.35, 0.7), facecolors=colours[parity], edgecolors=colours[parity],
                             linewidth=0.3)  # so that the shortest call can be seen
    compute = _last_compute(results, case)
    last = float(np.max(end))
    if np.isfinite(compute) and last > compute:
        axes.axvspan(compute * factor, last * factor, color=style.GREY, alpha=0.3, linewidth=0)
        axes.annotate(f"exposed: {(last - compute) * factor:.3g} {unit}", (compute * factor, 1.62), ha="right", va="center",
                      fontsize=9)
    axes.set_ylim(-0.6, 1.9)
    axes.set_xlim(0, max(last, compute if np.isfinite(compute) else 0.0) * factor * 1.01)
    axes.set_yticks(list(ROWS.values()), list(ROWS))
    axes.set_xlabel(f"time since the start of the backward pass ({unit})")
    axes.grid(axis="y", visible=False)
    return figure
