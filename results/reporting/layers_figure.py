# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Layer times of each rank, and what the layers cost."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style

MOST_LINES = 8


def layer_seconds(results):
    """(names, seconds[rank, layer]) of the layers in the order in which they run: medians over samples, added up."""
    operations = derive.median(results["/layers/seconds"], 2)
    labels = results["/layers/operation_layer"]
    names = list(dict.fromkeys(labels))
    return names, np.stack([operations[:, labels == name].sum(axis=1) for name in names], axis=1)


def slowest_rank(results):
    """(rank, share by which it is slower than the median rank), None with one rank."""
    _, seconds = layer_seconds(results)
    totals = seconds.sum(axis=1)
    if totals.size < 2:
        return None
    rank = int(np.argmax(totals))
    return rank, totals[rank] / float(np.median(totals)) - 1.0


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
            axes.plot(x, seconds[rank] * factor, color=style.MEASURED, alpha=0.5, linewidth=1, marker=".",
                      label="each rank" if rank == 0 else None, drawstyle="steps-mid")
    if slowest:
        axes.plot(x, seconds[slowest[0]] * factor, color=style.PREDICTED, linewidth=1.8, drawstyle="steps-mid",
                  label=f"slowest: rank {slowest[0]} (+{slowest[1]:.1%})")
    axes.set_yscale("log")
    axes.set_ylabel(f"time of the layer ({unit}), logarithmic")
    _label(axes, names)
    style.legend_above(axes)
    return figure


def draw_costs(results):
    """Achieved flop/s over arithmetic intensity, an operation a point."""
    if not results.has("/layers/seconds", "/layers/flops", "/layers/bytes"):
        return None
    seconds = np.fmax.reduce(derive.median(results["/layers/seconds"], 2), axis=0)
    flops, count = results["/layers/flops"], results["/layers/bytes"]
    good = (seconds > 0) & (flops > 0) & (count > 0)
    if not good.any():
        return None
    figure, axes = plt.subplots(layout="constrained")
    intensity = flops[good] / count[good]
    axes.loglog(intensity, flops[good] / seconds[good] / 1e9, "o", color=style.MEASURED, alpha=0.6, markersize=5, label="measured")
    modelled = results["/layers/modelled"][good] if results.has("/layers/modelled") else np.array([np.nan])
    if np.isfinite(modelled).any():
        axes.loglog(intensity, flops[good] / modelled / 1e9, "s", color=style.PREDICTED, markerfacecolor="none", markersize=8,
                    label="from the roofline")
    axes.set_xlabel("arithmetic intensity (flop/byte)")
    axes.set_ylabel("speed of the operation (Gflop/s)")
    style.legend_above(axes)
    return figure
