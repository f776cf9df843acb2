# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the bus bandwidth over the message size, with a line for each kind of collective."""
import matplotlib.pyplot as plt
import numpy as np

from . import style
from .allreduce_figure import size_ticks

LOOKS = {"all_reduce": ("o-", style.MEASURED), "reduce_scatter": ("s--", style.PREDICTED), "all_gather": ("^-.", style.GOOD),
         "broadcast": ("D:", style.OTHER), "send": ("v-", style.SKY)}


def draw_collectives(results):
    """Returns the figure, or None if no collective has a bus bandwidth. With one rank only a broadcast has one."""
    if not results.has("/collectives/verb", "/collectives/bytes", "/collectives/busbw"):
        return None
    verbs, sizes, busbw = (results["/collectives/" + name] for name in ("verb", "bytes", "busbw"))
    if not (busbw > 0).any():
        return None
    figure, axes = plt.subplots(layout="constrained")
    for verb, (look, color) in LOOKS.items():
        of_verb = (verbs == verb) & (busbw > 0)
        if of_verb.any():
            axes.plot(np.asarray(sizes[of_verb], float), busbw[of_verb], look, color=color, markersize=4, label=verb.replace("_", "-"))
    axes.set(xscale="log", yscale="log", ylabel="bus bandwidth (GB/s, log scale)")
    style.plain_log_labels(axes)
    size_ticks(axes, np.asarray(sizes, float))
    style.legend_above(axes)
    return figure
