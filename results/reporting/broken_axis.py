# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a vertical axis in two segments. The lower segment shows the cases with a cap, so that their minimum is readable. The upper
segment shows strategies without a cap whose values are far larger."""
import numpy as np

# Range: the largest minus the smallest value of the cases with a cap, but at least FLAT times the largest
# value. A strategy is far away if all its values lie more than one range above the largest value. On one axis
# the caps would then have less than half of the height.
FLAT = 0.005
HEIGHTS = (1, 3)
# The gap between the segments is at least this share of the distance from the upper end of the lower segment to
# the top of the axis. The gap is smaller only if a far value is close to the lower segment.
GAP = 0.15


def limits(caps, beside, anchor=np.nan):
    """Returns (lower, upper): the two ends of each segment. `caps` are all values of the cases with a cap.
    `beside` are the values of the other cases: [case], or [value, case] if a case has several, for instance a
    measured and a predicted one. All values of a case lie in one segment, and the segments do not overlap.
    `upper` is None if no case is far away. `anchor` is a value below the caps. The lower segment includes it
    if it is near the caps."""
    caps = np.asarray(caps, float)[np.isfinite(caps)]
    smallest, largest = (reduce(np.atleast_2d(np.asarray(beside, float)), axis=0) for reduce in (np.fmin.reduce, np.fmax.reduce))
    smallest, largest = smallest[np.isfinite(smallest)], largest[np.isfinite(largest)]
    low, high = caps.min(), caps.max()
    span = max(high - low, 0.02 * abs(high), 1e-12)
    near = smallest <= high + max(high - low, FLAT * abs(high))
    lower = _lower_segment(min([low, *smallest[near]]), max([high, *largest[near]]), anchor, span)
    while (~near & (smallest <= lower[1])).any():  # a case that lies in the margin of the lower segment belongs to this segment
        near |= smallest <= lower[1]
        lower = _lower_segment(min([low, *smallest[near]]), max([high, *largest[near]]), anchor, span)
    if near.all():
        return lower, None
    first, last = smallest[~near].min(), largest[~near].max()
    margin = max(0.25 * (last - first), 0.04 * last)
    top = last + margin
    start = max(first - margin, lower[1] + GAP * (top - lower[1]))  # else marks at the top of the lower segment could reach into the upper one
    return lower, (min(start, (lower[1] + first) / 2), top)


def _lower_segment(low, high, anchor, span):
    """Returns the ends of a segment with the values from `low` to `high`, and with `anchor` if it is close
    below them. `span` is the largest minus the smallest value of the caps, but at least 2 % of
    the largest one. If high - low is 0, the margins follow from `span`."""
    if np.isfinite(anchor) and low - 0.6 * span <= anchor < low:
        low = anchor
    margin = high - low or span
    return max(low - 0.24 * margin, 0.0 if low >= 0.0 else -np.inf), high + 0.08 * margin


def _mark_break(upper, lower):
    """Draws two short diagonals where the axis is interrupted."""
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    look = {"marker": [(-1, -0.6), (1, 0.6)], "markersize": 8, "linestyle": "none", "color": "#808080", "clip_on": False}
    upper.plot([0], [0], transform=upper.transAxes, **look)
    lower.plot([0], [1], transform=lower.transAxes, **look)


def segments(figure, lower, upper):
    """Creates the axes of the segments in `figure`, and returns them in a list, the upper one first. `lower` and `upper` are the ends of the
    segments, from limits(). If `upper` is None, the list has only the lower segment."""
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
