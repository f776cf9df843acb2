# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a vertical axis in two segments. The lower segment shows the cases with a cap, so that their minimum is readable. The upper
segment shows strategies without a cap whose values are far larger."""
import numpy as np

# Range: the largest minus the smallest value of the cases with a cap. A strategy is far away if its value lies more than one range above the
# largest value. On one axis the caps would then have less than half of the height. A range below this share of the largest value counts as this share.
FLAT = 0.005
HEIGHTS = (1, 3)
# At least this share of the range between the lower segment and the top of the axis is left out. Less is left out if a far value is close to the lower segment.
GAP = 0.15


def limits(caps, beside, anchor=np.nan):
    """Returns (lower, upper): the two ends of each segment. `upper` is None if no value of `beside` is far away. If `anchor`, a value
    below the caps, is near them, the lower segment includes it."""
    caps, beside = (np.asarray(v, float)[np.isfinite(v)] for v in (caps, beside))
    low, high = caps.min(), caps.max()
    span = max(high - low, 0.02 * abs(high), 1e-12)
    far = high + max(high - low, FLAT * abs(high))
    apart, near = beside[beside > far], beside[beside <= far]
    low, high = min([low, *near]), max([high, *near])
    if np.isfinite(anchor) and low - 0.6 * span <= anchor < low:
        low = anchor
    margin = high - low or span
    lower = (max(low - 0.24 * margin, 0.0 if low >= 0.0 else -np.inf), high + 0.08 * margin)
    if not apart.size:
        return lower, None
    margin = max(0.25 * (apart.max() - apart.min()), 0.04 * apart.max())
    top = apart.max() + margin
    start = max(apart.min() - margin, lower[1] + GAP * (top - lower[1]))  # keeps the marks of the lower segment out of this one
    return lower, (min(start, (lower[1] + apart.min()) / 2), top)


def _mark_break(upper, lower):
    """Draws two short diagonals where the axis is interrupted."""
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    look = {"marker": [(-1, -0.6), (1, 0.6)], "markersize": 8, "linestyle": "none", "color": "#808080", "clip_on": False}
    upper.plot([0], [0], transform=upper.transAxes, **look)
    lower.plot([0], [1], transform=lower.transAxes, **look)


def segments(figure, lower, upper):
    """Returns the axes of the segments, the upper one first. Returns a single one if `upper` is None."""
    if upper is None:
        axes = [figure.subplots()]
    else:
        axes = list(figure.subplots(2, 1, sharex=True, height_ratios=HEIGHTS))
        axes[0].set_ylim(upper)
        axes[0].locator_params(axis="y", nbins=3)
        _mark_break(*axes)
    axes[-1].set_ylim(lower)
    for part in axes:
        part.set_autoscaley_on(False)
    return axes
