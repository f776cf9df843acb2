# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the parts of a whole step (`ddproxy step`), measured and predicted, and says in words what they show."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, intervals, step_timeline_figure, style

PARTS = {"forward": (style.SKY, ""), "recompute": (style.OTHER, "//"), "backward": (style.MEASURED, ""), "clip": (style.GOOD, "xx"), "update": (style.PREDICTED, ".."),
         "copies": ("#999999", "--"), "waiting": ("#E69F00", "\\\\")}
EARLIER = {**PARTS, "exposed": PARTS["waiting"]}  # files of earlier versions do not have the part `waiting`, so their bars show E in its place
REST = "gap"  # the time of the step minus the sum of its parts
REST_LOOK = {"color": "none", "hatch": "////", "edgecolor": style.GREY, "linewidth": 0.8}
STEP_LOOK = {"color": style.INK, "linewidth": 2.0}
SHOWN_REST = 0.02  # a rest of at least this share of the step is drawn and named
E_IS_NO_PART = (" The exposed communication E of the title is not a part of the bars: it is the time of the step minus the compute time of the same step without communication. "
                "The part \"waiting\" is not E: it is the time in which compute is idle.")
ROWS = {"median": "measured", "predicted": "predicted", "uncontended": "predicted,\nno contention"}


def _seconds(results, column):
    """Returns {part: seconds} of a column of /step, with the part `step`. A part without a value is 0."""
    return {part: float(np.nan_to_num(value)) for part, value in zip(results["/step/part"], results["/step/" + column])}


def _parts(row):
    """Returns the parts that a bar shows, with their look. `row` is {part: seconds}."""
    return PARTS if "waiting" in row else EARLIER


def rest(row):
    """Returns the time of the step minus the sum of its parts, in seconds. Returns 0 if the absolute
    difference is below 2 % of the step. `row` is {part: seconds} with the part `step`."""
    left = row["step"] - sum(row.get(part, 0.0) for part in _parts(row))
    return left if abs(left) >= SHOWN_REST * row["step"] else 0.0


def caption(results):
    """Returns sentences about E for the caption. Returns an empty text for a file of an earlier version, in whose bars E is a part."""
    return E_IS_NO_PART if "waiting" in results["/step/part"] else ""


def _label(results, column):
    """Returns the name of a row. A replayed step is not called measured."""
    return step_timeline_figure.source(results).replace(" with ", "\nwith ") if column == "median" else ROWS[column]


def has_steps(results):
    return results.has("/step/part", "/step/median", "/step/predicted") and "step" in results["/step/part"]


def draw_step(results):
    """Draws a bar for the measured step and one for each prediction. The median of each part is taken
    separately, so the sum of the parts can differ from the step. If the parts add up to at most 98 % of the
    step, a hatched bar fills the gap. If they add up to at least 102 %, a line marks the end of the step.
    Returns None if the file has no whole steps."""
    if not has_steps(results):
        return None
    rows = [(_label(results, column), _seconds(results, column)) for column in ROWS if results.has("/step/" + column)]
    factor, unit = style.time_scale(max(row["step"] for _, row in rows))
    figure, axes = plt.subplots(figsize=(5.6, 0.9 + 0.5 * len(rows)), layout="constrained")
    looks = _parts(rows[0][1])
    for position, (_, row) in enumerate(rows):
        start = 0.0
        for part, (colour, hatch) in looks.items():
            width = max(0.0, row.get(part, 0.0)) * factor
            axes.barh(position, width, left=start, height=0.7, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
            start += width
        _draw_rest(axes, position, start, rest(row) * factor, row["step"] * factor)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time ({unit})")
    for part, (colour, hatch) in looks.items():
        if any(row.get(part, 0.0) > 0.0 for _, row in rows):
            axes.barh(0, 0.0, color=colour, hatch=hatch, edgecolor="white", label=part)
    _name_rest(axes, [row for _, row in rows])
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=min(4, len(axes.get_legend_handles_labels()[0])), borderaxespad=0.3, columnspacing=1.0, handlelength=1.4)
    return figure


def _draw_rest(axes, position, end, left, step):
    """Draws the rest of a step after its parts, which end at `end`. A negative rest is drawn as a line at the
    end of the step."""
    if left > 0.0:
        axes.barh(position, left, left=end, height=0.7, **REST_LOOK)
    elif left < 0.0:
        axes.plot([step, step], [position - 0.42, position + 0.42], **STEP_LOOK)


def _name_rest(axes, rows):
    """Names in the legend what _draw_rest() drew."""
    if any(rest(row) > 0.0 for row in rows):
        axes.barh(0, 0.0, **REST_LOOK, label=REST)
    if any(rest(row) < 0.0 for row in rows):
        axes.plot([], [], **STEP_LOOK, label="end of the step")


def _rest_text(row):
    """Says what share of the step its parts add up to. Returns an empty text if their sum differs from the
    step by less than 2 %."""
    return f"The parts add up to {derive.percent(1.0 - rest(row) / row['step'])} of the step." if rest(row) else ""


def finding(results):
    """Returns the title of the figure: the share of exposed communication in the step, and the error of the prediction. If the sum of the parts
    differs from the step by 2 % or more, the title has this sum, too. Returns an empty text if the step was not measured."""
    measured, predicted = _seconds(results, "median"), _seconds(results, "predicted")
    if not measured["step"] > 0.0:
        return ""
    error = predicted["step"] / measured["step"] - 1.0
    missed = _rest_text(measured)
    return f"{_share(measured)};\nthe step is predicted {_off(error)}{'.' * bool(missed)}" \
        + f"\n{missed}" * bool(missed)


def _share(row):
    """Says which share of the step is exposed communication. A negative E has no share."""
    if row["exposed"] < 0.0:
        return "The measured E is below 0, so it is only noise"
    return f"{derive.percent(row['exposed'] / row['step'])} of a step is exposed communication"


def _off(error):
    share = derive.percent(abs(error))
    return f"{share} too {'long' if error > 0.0 else 'short'}" if round(abs(error), 3) > 0.0 else "right to within 0.05 %"


def answer(results):
    """Returns a summary of a file of `ddproxy step` in a few sentences: the time of a step, E, the prediction, and the tokens per second."""
    measured, predicted = _seconds(results, "median"), _seconds(results, "predicted")
    row = list(results["/step/part"]).index("step")
    low, high = (float(results["/step/" + name][row]) for name in ("ci_low", "ci_high"))
    count = int(np.isfinite(results["/step/measured"][row]).sum()) if results.has("/step/measured") else 0
    kind = intervals.kind_of_steps(count) if np.isfinite(high - low) else None
    text = [f"A whole step takes {_time(measured['step'])}, {intervals.sentence(count, kind, _time(low), _time(high))}."]
    if measured["exposed"] < 0.0:
        text.append(f"The measured E is {_time(measured['exposed'])}. It is below 0, so this run does not show how much communication is exposed.")
    else:
        text.append(f"Of this, E = {_time(measured['exposed'])} is exposed communication.")
    if measured["step"] > 0.0:
        text.append(f"The model predicts a step of {_time(predicted['step'])}, which is {_off(predicted['step'] / measured['step'] - 1.0)}.")
    if measured["step"] > 0.0 and (missed := _rest_text(measured)):
        text.append(f"{missed} The median of each part is taken separately, so this happens if the steps differ a lot.")
    rate = results.attribute("/step", "step_tokens_per_s")
    if rate is not None:
        text.append(f"Throughput: {float(rate):.5g} tokens/s.")
    return " ".join(text)


def _time(seconds):
    return f"{seconds:.3f} s" if abs(seconds) >= 1.0 else f"{seconds * 1e3:.3g} ms"
