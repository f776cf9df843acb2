# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws timelines: one row for compute, one for communication, the exposed part shaded, and the live buffers below. Several cases stand
above each other."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from . import derive, style

ROWS = {"compute": 1.0, "communication": 0.0}
COLOURS = {"compute": (style.MEASURED, style.SKY), "communication": (style.PREDICTED, "#E69F00")}
NARROWEST = 0.035  # the label of a span that is narrower than this share of the axis stands beside it


def has_timeline(results, case):
    return results.has("/timeline/first", "/timeline/count", "/timeline/start") and results["/timeline/count"][case] > 0


def _range(results, case):
    first, count = int(results["/timeline/first"][case]), int(results["/timeline/count"][case])
    return slice(first, first + count)


def events(results, case, names=("start", "end", "resource")):
    """Returns the datasets `names` of /timeline, each [event], for the events of the case on the lowest rank that has events."""
    part = _range(results, case)
    mine = slice(None)
    if results.has("/timeline/event_rank"):
        rank = results["/timeline/event_rank"][part]
        mine = rank == rank.min()
    return tuple(results["/timeline/" + n][part][mine] for n in names)


def first_rank(results, case):
    return int(np.min(results["/timeline/event_rank"][_range(results, case)])) if results.has("/timeline/event_rank") else 0


def is_left_out(results, case):
    """Returns whether the last sample of the case does not count, because the machine was in another state. The timeline of the case shows this sample."""
    if not results.has("/sweep/counted"):
        return False
    taken = results["/sweep/counted"][case]
    taken = taken[taken >= 0]  # -1: this sample was not taken
    return bool(taken.size and taken[-1] == 0)


def compared_cases(results):
    """Returns the best case and the case to compare it with: 25 MiB, else naive, else flat. Skips cases without a timeline. A case whose last
    sample was left out is returned only if there are fewer than two other cases."""
    best = derive.best_case(results, derive.column(results, "measured_median"))
    strategy, caps = results["/sweep/strategy"], results["/sweep/bucket_bytes"] / 2.0**20
    wanted = [best, *np.flatnonzero((strategy == "bucketed") & (caps == derive.PYTORCH_DEFAULT_MIB)),
              *np.flatnonzero(strategy == "naive"), *np.flatnonzero(strategy == "flat")]
    there = list(dict.fromkeys(int(c) for c in wanted if c is not None and has_timeline(results, c)))
    chosen = sorted(there, key=lambda case: is_left_out(results, case))[:2]
    return [case for case in there if case in chosen]


def _last_compute(results, case):
    """Returns T_compute of the last sample, to which the timeline belongs."""
    of_samples = derive.of_every_sample(results, "compute")[case] if results.has("/sweep/compute") else np.array([np.nan])
    known = of_samples[np.isfinite(of_samples)]
    return float(known[-1]) if known.size else np.nan


def _draw_events(axes, start, end, resource, factor):
    for name, colours in COLOURS.items():
        chosen = np.flatnonzero(resource == name)
        for parity in (0, 1):  # neighbours have different colours, so that each bucket can be seen
            spans = [(start[k] * factor, (end[k] - start[k]) * factor) for k in chosen[parity::2]]
            axes.broken_barh(spans, (ROWS[name] - 0.35, 0.7), facecolors=colours[parity], edgecolors=colours[parity],
                             linewidth=0.3)  # the edge of the bar makes even the shortest call visible


def _fits(axes, text, width):
    """Returns whether the text fits into `width`, in data coordinates."""
    box = text.get_window_extent(axes.figure.canvas.get_renderer())
    return box.width < 0.88 * width * axes.bbox.width / np.ptp(axes.get_xlim())


def _label_exposed(axes, low, high, unit):
    """Labels the exposed span. The label stands inside the span, in one line, in two lines, or upright. If the span is too narrow for that, the label
    stands beside it, with an arrow to the span."""
    words, middle = f"exposed: {high - low:.3g} {unit}", (low + high) / 2.0
    look = {"ha": "center", "va": "center", "fontsize": 9, "bbox": {"boxstyle": "round,pad=0.15", "facecolor": style.PAPER, "alpha": 0.75,
                                                                   "linewidth": 0}}
    if high - low < NARROWEST * np.ptp(axes.get_xlim()):
        axes.annotate(words, (middle, 1.62), (-30, 0), textcoords="offset points", arrowprops={"arrowstyle": "->", "color": style.GREY},
                      **{**look, "ha": "right"})
        return
    text, lines = axes.text(middle, 1.62, words, **look), words.replace(": ", ":\n")
    for change in ({"text": lines, "fontsize": 8, "linespacing": 1.1, "y": 1.64}, {"rotation": 90, "y": 1.85, "va": "top"},
                   {"text": words, "y": 0.62, "va": "center"}, {"fontsize": 7}):
        if _fits(axes, text, high - low):
            return
        text.set(**change)


def _draw(axes, results, case, factor, unit, longest):
    start, end, resource = events(results, case)
    _draw_events(axes, start, end, resource, factor)
    compute, last = _last_compute(results, case), float(np.max(end))
    axes.set_ylim(-0.6, 1.9)
    axes.set_xlim(0.0, longest * factor * 1.01)
    if np.isfinite(compute) and last > compute:
        axes.axvspan(compute * factor, last * factor, color=style.GREY, alpha=0.3, linewidth=0)
        _label_exposed(axes, compute * factor, last * factor, unit)
    axes.set_yticks(list(ROWS.values()), list(ROWS))
    axes.grid(axis="y", visible=False)


def has_memory(results):
    """Returns whether the file has the bytes of the live buffers, and they change. A constant curve would show nothing, so it is not drawn."""
    names = ("/timeline/live_bytes_start", "/timeline/live_bytes_end")
    if not results.has(*names, "/memory/live_at_start", "/memory/allocated"):
        return False
    return np.unique(np.concatenate([results[name] for name in names])).size > 1


def live_memory(results, case, of=""):
    """Returns (seconds, bytes): a staircase curve of the live buffers. They have bytes[k] from seconds[k] until
    seconds[k + 1]. Time 0 is the start of the backward pass or of the whole step. If `of` is "predicted_",
    returns the curve of the predicted step."""
    start, end, at_start, at_end = events(results, case, tuple(of + name for name in ("start", "end", "live_bytes_start", "live_bytes_end")))
    times, live = np.concatenate([end, start]), np.concatenate([at_end, at_start])
    task, is_end = np.tile(np.arange(len(start)), 2), np.repeat([1, 0], len(start))
    later = np.concatenate([end <= start, np.ones(len(start), bool)])  # at equal times, earlier tasks end before others start
    order = np.lexsort((is_end, task, later, times))
    return np.concatenate([[0.0], times[order]]), np.concatenate([results["/memory/live_at_start"][[case]], live[order]])


def memory_unit(size):
    """Returns (power of 1024, unit): the largest unit in which the size in bytes is at least 1."""
    return next(((p, u) for p, u in ((3, "GiB"), (2, "MiB"), (1, "KiB")) if size >= 1024.0**p), (0, "B"))


def allocated(results):
    """Returns the bytes that each rank allocates for the buffers."""
    return float(np.ravel(results["/memory/allocated"])[0])


def draw_memory(axes, results, case, factor):
    """Draws the live buffers in the largest unit that fits. A dashed line shows the allocated memory. Returns the power of 1024 of the unit."""
    times, live = live_memory(results, case)
    most = max(float(live.max()), allocated(results))
    power, unit = memory_unit(most)
    axes.fill_between(times * factor, live / 1024.0**power, step="post", color=style.GOOD, alpha=0.35, linewidth=0)
    axes.step(times * factor, live / 1024.0**power, where="post", color=style.GOOD, linewidth=1.0)
    if allocated(results) > 0:
        axes.axhline(allocated(results) / 1024.0**power, color=style.GREY, linestyle="--", linewidth=1.0)
    axes.set_ylim(0.0, 1.15 * most / 1024.0**power)
    axes.set_ylabel(f"buffers in use\n({unit})", fontsize=8.5)
    return power


def allocation(results):
    """Returns a text about the allocated memory, which the dashed line shows."""
    if allocated(results) == 0.0:
        return "memory that the simulated machine would use (calculated; this program allocates none of it)"
    power, unit = memory_unit(allocated(results))
    return f"dashed line: allocated memory, {allocated(results) / 1024.0**power:.3g} {unit}"


def _say_allocation(axes, results):
    text = "calculated; this program allocates none of it" if allocated(results) == 0.0 else allocation(results)
    axes.text(0.99, 0.12, text, transform=axes.transAxes, ha="right", fontsize=8,
              bbox={"boxstyle": "round,pad=0.15", "facecolor": style.PAPER, "alpha": 0.75, "linewidth": 0})


def _median_total(results, case):
    """Returns the median T of the case as a text, for instance "1.71 s". Returns an empty text if it is not known."""
    median = float(derive.column(results, "measured_median")[case])
    if not np.isfinite(median):
        return ""
    factor, unit = style.time_scale(median)
    return f"{median * factor:.3g} {unit}"


def left_out_note(results, cases):
    """Returns a text that names the cases whose last sample was left out. Returns an empty text if there are none."""
    names, said = derive.case_names(results), []
    for case in (case for case in cases if is_left_out(results, case)):
        median = _median_total(results, case)
        said.append(f"The last sample of {names[case]} is left out of the medians, because the machine was in another state" + f"; the median T is {median}" * bool(median) + ".")
    return " ".join(said)


def _title(results, case, is_alone):
    """Returns the title of the axes of a case. If the sample was left out, a second line says so. The lines are short, so that they do not make
    the figure wider. Returns an empty text if the title of the figure names the case."""
    median, name = _median_total(results, case), str(derive.case_names(results)[case])
    if not is_left_out(results, case):
        return "" if is_alone and finding(results, [case]) else name
    return name + f" (median T: {median})" * bool(median) + "\nThis sample is left out: machine in another state"


def _exposed_share(results, case):
    """Returns the exposed communication of the last sample of a case as a share of its T. Returns NaN if T_compute is not known, or if the
    sample was left out."""
    end = float(np.max(events(results, case, ("end",))[0]))
    if is_left_out(results, case) or not end > 0.0:
        return np.nan
    return float(np.maximum(end - _last_compute(results, case), 0.0) / end)  # np.maximum keeps NaN


def _late_buckets(results, case):
    """Says how many buckets of the last sample end after T_compute, where the exposed span begins."""
    end, resource = events(results, case, ("end", "resource"))
    ends = end[resource == "communication"]
    late = int(np.sum(ends > _last_compute(results, case)))
    return f"{late} of {len(ends)} bucket{'' if len(ends) == 1 else 's'} end{'s' if late == 1 else ''} after T_compute"


def finding(results, cases):
    """Returns the title of the figure: how much of T of the last sample of each case is exposed communication. For a single case it also says
    how many buckets end after T_compute. Skips cases whose T_compute is not known, and cases whose last sample was left out."""
    names, shares = derive.case_names(results), {case: _exposed_share(results, case) for case in cases}
    said = [f"{derive.percent(share)} of T with {names[case]}" for case, share in shares.items() if np.isfinite(share)]
    if not said:
        return ""
    if len(cases) > 1:
        return "Exposed communication of the last sample:\n" + " and\n".join(said)
    return f"Last sample of {names[cases[0]]}: {derive.percent(shares[cases[0]])} of T is\nexposed communication; {_late_buckets(results, cases[0])}"


def _explain_colours(axes):
    """Draws a legend below the last axes: neighbours alternate between two colours, and the exposed time is grey."""
    pairs = [tuple(Patch(color=colour) for colour in COLOURS[name]) for name in ROWS]
    below = axes.transAxes + ScaledTranslation(0.0, -0.45, axes.figure.dpi_scale_trans)  # an offset in inches, so that the legend clears the label of the axis
    axes.legend([*pairs, Patch(color=style.GREY, alpha=0.3)], ["operations", "buckets (colours alternate)", "exposed"], loc="upper center",
                bbox_to_anchor=(0.5, 0.0), bbox_transform=below, ncol=3, handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
                columnspacing=1.2, fontsize=8)


def draw_timelines(results, cases):
    """Draws the cases above each other on one time axis. Below each case are its live buffers, if the file has them."""
    longest = max(float(np.nanmax([np.max(events(results, case)[1]), _last_compute(results, case)])) for case in cases)
    factor, unit = style.time_scale(longest)
    parts = [1.0, 0.5] if has_memory(results) else [1.0]  # heights of the axes of a case
    figure, rows = plt.subplots(len(parts) * len(cases), 1, sharex=True, squeeze=False, layout="constrained",
                                figsize=(5.2, 0.4 + 1.65 * sum(parts) * len(cases)), height_ratios=parts * len(cases))
    for number, case in enumerate(cases):
        axes = rows[number * len(parts):(number + 1) * len(parts), 0]
        axes[0].set_title(_title(results, case, len(cases) == 1), loc="left", fontsize=9.5)
        _draw(axes[0], results, case, factor, unit, longest)
        for below in axes[1:]:
            draw_memory(below, results, case, factor)
            _say_allocation(below, results)
    rows[-1, 0].set_xlabel(f"time since the start of the backward pass ({unit})")
    _explain_colours(rows[-1, 0])
    return figure
