# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the speed of each operation over its arithmetic intensity, below the roofline of the input's [machine]."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, style


class Costs:
    """Holds the operations that have flops, bytes and a time. The time of a rank is the median over its samples, in seconds. The time of an operation is that
    of its slowest rank."""

    def __init__(self, results):
        seconds = np.fmax.reduce(derive.median(results["/layers/seconds"], 2), axis=0)
        flops, count = results["/layers/flops"], results["/layers/bytes"]
        modelled = results["/layers/modelled"] if results.has("/layers/modelled") else np.full(seconds.size, np.nan)
        good = (seconds > 0) & (flops > 0) & (count > 0)
        self.seconds, self.flops, self.bytes, self.modelled = (v[good] for v in (seconds, flops, count, modelled))
        self.intensity, self.speed = self.flops / self.bytes, self.flops / self.seconds
        self.replayed = results.attribute("/sweep", "compute_mode") == "replay"

    def roof(self):
        """Returns (flop/s, byte/s): the peak and the bandwidth of the roofline, both times the efficiency in [machine]. Derives them from the
        modelled times, which are max(flops / peak, bytes / bandwidth) / efficiency. A value is NaN if it limits no operation. Returns
        None if there are no modelled times."""
        there = np.isfinite(self.modelled) & (self.modelled > 0)
        if not there.any():
            return None
        by_flops, by_bytes = (v[there] / self.modelled[there] for v in (self.flops, self.bytes))
        peak, bandwidth = by_flops.max(), by_bytes.max()
        all_at_peak, all_at_bandwidth = (by_flops > 0.999 * peak).all(), (by_bytes > 0.999 * bandwidth).all()
        return (np.nan if all_at_bandwidth and not all_at_peak else peak), (np.nan if all_at_peak else bandwidth)

    def above_roof(self, by=1.05):
        """Returns how many operations were faster than the roofline allows, by more than the factor `by`."""
        return int((self.modelled > by * self.seconds).sum())


def is_roofline(results):
    """Returns whether the times were replayed from the roofline. A comparison with the roofline then says nothing. A file has modelled times only if the input
    names no table of layer times. So if a file has modelled times and its compute was replayed, compute took these times."""
    return bool(results.attribute("/sweep", "compute_mode") == "replay" and results.has("/layers/modelled") and np.isfinite(results["/layers/modelled"]).any())


def costs(results):
    """Returns the Costs of a file, or None if it has no operations with times, flops and bytes, or if the roofline gave the times."""
    if is_roofline(results) or not results.has("/layers/seconds", "/layers/flops", "/layers/bytes"):
        return None
    found = Costs(results)
    return found if found.seconds.size else None


def _draw_roof(axes, roof, low, high):
    peak, bandwidth = roof
    x = np.geomspace(low / 2.0, high * 2.0, 100)
    limits = [limit for limit, known in ((np.full(x.size, peak), np.isfinite(peak)), (bandwidth * x, np.isfinite(bandwidth))) if known]
    said = [text for text, known in ((f"{peak / 1e12:.3g} Tflop/s", np.isfinite(peak)), (f"{bandwidth / 1e9:.3g} GB/s",
                                                                                         np.isfinite(bandwidth))) if known]
    axes.plot(x, np.minimum.reduce(limits) / 1e12, "-", color=style.PREDICTED, linewidth=1.8,
              label=f"roofline of the input, times its efficiency: {', '.join(said)}")


def draw_costs(results):
    found = costs(results)
    if found is None:
        return None
    figure, axes = plt.subplots(layout="constrained")
    roof = found.roof()
    word = "replayed" if found.replayed else "measured"
    axes.loglog(found.intensity, found.speed / 1e12, "o", color=style.MEASURED, alpha=0.8, markersize=5, label=f"operation, {word}")
    if roof is not None:
        _draw_roof(axes, roof, found.intensity.min(), found.intensity.max())
    axes.set_xlabel("arithmetic intensity (flop/byte, log scale)")
    axes.set_ylabel("speed of the operation (Tflop/s, log scale)")
    style.legend_above(axes, 1)
    return figure


def caption(results):
    found = costs(results)
    if found is None:
        return ""
    text = "Speed of each operation over its arithmetic intensity. Matrix products do the most flops for each byte, so their dots are on the right."
    if found.roof() is None:
        return f"{text} No roofline is drawn, because the input has no [machine] with the peak rates."
    return f"{text} The line is the roofline from [machine] of the input."
