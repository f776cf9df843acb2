# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the tasks of one whole step (`ddproxy step`) over time, with a row for each lane. The first panel has
the measured or replayed times, the second one the predicted times (if the file has them). The last panel has
the live buffers."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from . import style, timeline_figure

# {words of the legend: (phases, colour)}. Compute has the colours of step_figure. Colour-blind readers can tell the collectives apart, and all colours can be
# seen on white and on black. Gathers and broadcasts have similar colours: a step has only one of the two.
COLOURS = {"forward": (("forward",), style.SKY), "recompute": (("recompute",), style.OTHER), "backward": (("backward",), style.MEASURED),
           "clip": (("norm", "clip"), style.GOOD), "update": (("update",), style.PREDICTED), "copy": (("copy",), style.GREY),
           "all-reduce": (("all_reduce",), "#E69F00"), "reduce-scatter": (("reduce_scatter",), "#993333"), "all-gather": (("all_gather",), "#9933FF"),
           "broadcast": (("broadcast",), "#CC66FF"), "send, receive": (("send", "receive"), style.INK)}
CASE = 0  # a file of whole steps has one case


def has_timeline(results):
    return results.has("/timeline/phase", "/timeline/count", "/memory/live_at_start", "/memory/allocated") and not results.has("/sweep/strategy")


def has_prediction(results):
    """Returns whether the file has the predicted times of the tasks."""
    return results.has("/timeline/predicted_start", "/timeline/predicted_end")


def rows_of(resource):
    """Returns {lane: position of its row}: compute at the top, the communication lanes below it. `resource` has the lane of each task."""
    names = sorted(set(resource), key=lambda name: (name != "compute", name))
    return {name: float(len(names) - 1 - k) for k, name in enumerate(names)}


def _draw_tasks(axes, start, end, phase, resource, title):
    """Draws a bar for each task, in the colour of its phase."""
    rows = rows_of(resource)
    for phases, colour in COLOURS.values():
        for name, row in rows.items():
            spans = [(start[k], end[k] - start[k]) for k in np.flatnonzero(np.isin(phase, phases) & (resource == name))]
            axes.broken_barh(spans, (row - 0.35, 0.7), facecolors=colour, edgecolors=colour, linewidth=0.3)  # the edge of the bar makes even the shortest task visible
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_yticks(list(rows.values()), list(rows))
    axes.grid(axis="y", visible=False)


def peak(results):
    """Returns (bytes, seconds, label): the peak of the live buffers, when it is first reached, and the task
    that starts then. All three are of the first rank in the file."""
    start, live, label = timeline_figure.events(results, CASE, ("start", "live_bytes_start", "label"))
    at = np.flatnonzero(live == live.max())
    first = at[np.argmin(start[at])]
    return float(live[first]), float(start[first]), str(label[first])


def finding(results):
    """Returns the title of the figure: the peak of the live buffers, and when it is reached."""
    most, when, label = peak(results)
    factor, unit = style.time_scale(float(np.max(timeline_figure.events(results, CASE, ("end",))[0])))
    power, name = timeline_figure.memory_unit(most)
    of = "Memory of the simulated machine" if is_calculated(results) else "Memory in use"
    return f"{of} peaks at {most / 1024.0**power:.3g} {name}, {when * factor:.3g} {unit} after the start\nof the step, in the task {label}"


def is_calculated(results):
    """Returns whether the program allocates less than the step uses, because compute is simulated."""
    return timeline_figure.allocated(results) < float(results["/memory/live_peak"][CASE])


def allocation(results):
    """Returns a text about the allocated memory. If compute is simulated, and therefore only a part of the buffers is allocated, the text says so."""
    is_part = 0.0 < timeline_figure.allocated(results) and is_calculated(results)
    return timeline_figure.allocation(results) + ", only for the data of the all-reduces" * is_part


def prediction(results):
    """Returns a text about the predicted live buffers, which the dotted line shows. Returns an empty text if the file does not have them."""
    if not results.has(*(f"/timeline/predicted_{name}" for name in ("start", "end", "live_bytes_start", "live_bytes_end"))):
        return ""
    most = float(timeline_figure.live_memory(results, CASE, "predicted_")[1].max())
    power, unit = timeline_figure.memory_unit(most)
    return f"dotted line: predicted memory in use, at most {most / 1024.0**power:.3g} {unit}"


def _draw_prediction(axes, results, factor, unit):
    """Draws the predicted live buffers in units of `unit` bytes."""
    times, live = timeline_figure.live_memory(results, CASE, "predicted_")
    axes.step(times * factor, live / unit, where="post", color=style.PREDICTED, linestyle=":", linewidth=1.4)
    axes.set_ylim(0.0, max(axes.get_ylim()[1], 1.15 * float(live.max()) / unit))


def _draw_memory(axes, results, factor):
    """Draws the live buffers, with a dot at the peak, and the predicted ones."""
    unit = 1024.0**timeline_figure.draw_memory(axes, results, CASE, factor)
    most, when, _ = peak(results)
    axes.plot(when * factor, most / unit, "o", color=style.INK, markersize=3.5, zorder=3)
    predicted = prediction(results)
    if predicted:
        _draw_prediction(axes, results, factor, unit)
    axes.set_title("\n".join(text for text in (allocation(results).replace(" (", "\n("), predicted) if text), loc="left", fontsize=9.5)


def _explain_colours(axes, phase):
    """Draws a legend of the phases that the step has, below the last axes."""
    there = {words: colour for words, (phases, colour) in COLOURS.items() if np.isin(phase, phases).any()}
    below = axes.transAxes + ScaledTranslation(0.0, -0.45, axes.figure.dpi_scale_trans)  # an offset in inches, so that the legend clears the label of the axis
    axes.legend([Patch(color=colour) for colour in there.values()], list(there), loc="upper center", bbox_to_anchor=(0.45, 0.0), bbox_transform=below,
                ncol=min(4, len(there)), columnspacing=1.2, handlelength=1.4, fontsize=8)


def source(results):
    """Returns where the times of the step come from. In a replay, compute or collectives only wait for the time that a table or the roofline gives."""
    compute, collectives = (mode == "replay" for mode in results.modes())
    if compute and collectives:
        return "replayed"
    return "measured" + " with replayed compute" * compute + " with replayed collectives" * collectives


def draw(results):
    """Draws the measured or replayed step, the predicted step below it (if the file has one), and the live
    buffers at the bottom."""
    start, end, phase, resource = timeline_figure.events(results, CASE, ("start", "end", "phase", "resource"))
    steps = [(f"{source(results)}, rank {timeline_figure.first_rank(results, CASE)}", start, end)]
    if has_prediction(results):
        steps.append(("predicted", *timeline_figure.events(results, CASE, ("predicted_start", "predicted_end"))))
    longest = max(float(np.max(ends)) for _, _, ends in steps)
    factor, unit = style.time_scale(longest)
    tall = max(1.0, len(rows_of(resource)) / 2.0)  # height of the axes of a step; two rows have the height 1
    figure, rows = plt.subplots(len(steps) + 1, 1, sharex=True, layout="constrained", figsize=(5.2, 1.3 * tall * len(steps) + 2.5),
                                height_ratios=[tall] * len(steps) + [1.3])
    for axes, (title, starts, ends) in zip(rows, steps):
        _draw_tasks(axes, starts * factor, ends * factor, phase, resource, title)
    _draw_memory(rows[-1], results, factor)
    rows[-1].set_xlim(0.0, longest * factor * 1.01)
    rows[-1].set_xlabel(f"time since the start of the step ({unit})")
    _explain_colours(rows[-1], phase)
    return figure
