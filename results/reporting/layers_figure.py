# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the layer times of each rank."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style

MOST_LINES = 8


def layer_seconds(results):
    """Returns (names, seconds[rank, layer]) of the layers, in the order in which they run. The time of a layer is the sum of the medians
    of its operations."""
    operations = derive.median(results["/layers/seconds"], 2)
    labels = results["/layers/operation_layer"]
    names = list(dict.fromkeys(labels))
    return names, np.stack([operations[:, labels == name].sum(axis=1) for name in names], axis=1)


def slowest_rank(results):
    """Returns (rank, share) of the rank whose layers take longest in total. The share says by how much this
    time is above the median over the ranks; 0.1 is 10 %. Returns None if there is only one rank."""
    _, seconds = layer_seconds(results)
    totals = seconds.sum(axis=1)
    if totals.size < 2:
        return None
    rank = int(np.argmax(totals))
    return rank, totals[rank] / float(derive.median(totals)) - 1.0


def _label(axes, names):
    step = max(1, -(-len(names) // 12))
    shown = [0, *range(step, len(names) - step, step), len(names) - 1] if len(names) > 1 else [0]
    axes.set_xticks(shown, [names[k] for k in shown], rotation=60, ha="right", rotation_mode="anchor")
    axes.set_xlabel("layer, in the order of the backward pass")


def draw_layers(results):
    if not results.has("/layers/seconds", "/layers/operation_layer"):
        return None
    names, seconds = layer_seconds(results)
    factor, unit = style.time_scale(np.fmax.reduce(seconds, axis=None))
    figure, axes = plt.subplots(layout="constrained")
    x, slowest = np.arange(len(names)), slowest_rank(results)
    if seconds.shape[0] > MOST_LINES:
        axes.fill_between(x, seconds.min(0) * factor, seconds.max(0) * factor, color=style.SKY, alpha=0.4, step="mid",
                          label=f"all {seconds.shape[0]} ranks")
    else:
        for rank in range(seconds.shape[0]):
            axes.plot(x, seconds[rank] * factor, color=style.MEASURED, alpha=0.8, linewidth=1, marker=".",
                      label="each rank" if rank == 0 else None, drawstyle="steps-mid")
    if slowest:
        axes.plot(x, seconds[slowest[0]] * factor, color=style.PREDICTED, linewidth=1.8, drawstyle="steps-mid",
                  label=f"slowest: rank {slowest[0]} ({derive.percent(slowest[1], sign='+')})")
    axes.set_yscale("log")
    style.plain_log_labels(axes)
    axes.set_ylabel(f"time of the layer ({unit}, log scale)")
    _label(axes, names)
    style.legend_above(axes)
    return figure
