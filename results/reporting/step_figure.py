# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the parts of a whole step (`ddproxy step`), measured and predicted, and says in words what they show."""
import matplotlib.pyplot as plt
import numpy as np

from . import derive, intervals, style

PARTS = {"forward": (style.SKY, ""), "recompute": (style.OTHER, "//"), "backward": (style.MEASURED, ""), "exposed": ("#E69F00", "\\\\"), "clip": (style.GOOD, "xx"),
         "update": (style.PREDICTED, ".."), "copies": ("#999999", "--")}
ROWS = {"median": "measured", "predicted": "predicted", "uncontended": "predicted,\nno contention"}


def _seconds(results, column):
    """Returns {part: seconds} of a column of /step, with the part `step`. A part without a value is 0."""
    return {part: float(np.nan_to_num(value)) for part, value in zip(results["/step/part"], results["/step/" + column])}


def has_steps(results):
    return results.has("/step/part", "/step/median", "/step/predicted") and "step" in results["/step/part"]


def draw_step(results):
    """Draws a bar for the measured step and one for each prediction. The median of each part is taken separately, so the sum of the parts can differ a
    little from the step. Returns None if the file has no whole steps."""
    if not has_steps(results):
        return None
    rows = [(label, _seconds(results, column)) for column, label in ROWS.items() if results.has("/step/" + column)]
    factor, unit = style.time_scale(max(row["step"] for _, row in rows))
    figure, axes = plt.subplots(figsize=(5.6, 0.9 + 0.5 * len(rows)), layout="constrained")
    for position, (_, row) in enumerate(rows):
        start = 0.0
        for part, (colour, hatch) in PARTS.items():
            width = max(0.0, row.get(part, 0.0)) * factor
            axes.barh(position, width, left=start, height=0.7, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
            start += width
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time ({unit})")
    drawn = [part for part in PARTS if any(row.get(part, 0.0) > 0.0 for _, row in rows)]
    for part in drawn:
        axes.barh(0, 0.0, color=PARTS[part][0], hatch=PARTS[part][1], edgecolor="white", label=part)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=len(drawn), borderaxespad=0.3, columnspacing=1.0, handlelength=1.4)
    return figure


def finding(results):
    """Returns the title of the figure: the share of exposed communication in the step, and the error of the prediction."""
    measured, predicted = _seconds(results, "median"), _seconds(results, "predicted")
    if not measured["step"] > 0.0:
        return ""
    error = predicted["step"] / measured["step"] - 1.0
    return f"{derive.percent(measured['exposed'] / measured['step'])} of a step is exposed communication;\nthe step is predicted {_off(error)}"


def _off(error):
    share = derive.percent(abs(error))
    return f"{share} too {'long' if error > 0.0 else 'short'}" if round(abs(error), 3) > 0.0 else "within 0.05 %"


def answer(results):
    """Returns the answer of a file of `ddproxy step` in a few sentences."""
    measured, predicted = _seconds(results, "median"), _seconds(results, "predicted")
    row = list(results["/step/part"]).index("step")
    low, high = (float(results["/step/" + name][row]) for name in ("ci_low", "ci_high"))
    count = int(np.isfinite(results["/step/measured"][row]).sum()) if results.has("/step/measured") else 0
    kind = intervals.kind_of_steps(count) if np.isfinite(high - low) else None
    text = [f"A whole step takes {_time(measured['step'])}, {intervals.sentence(count, kind, _time(low), _time(high))}."]
    text.append(f"Of this, E = {_time(measured['exposed'])} is exposed communication.")
    if measured["step"] > 0.0:
        text.append(f"The model predicts {_time(predicted['step'])}, which is {_off(predicted['step'] / measured['step'] - 1.0)}.")
    rate = results.attribute("/step", "step_tokens_per_s")
    if rate is not None:
        text.append(f"Throughput: {float(rate):.5g} tokens/s.")
    return " ".join(text)


def _time(seconds):
    return f"{seconds:.3f} s" if abs(seconds) >= 1.0 else f"{seconds * 1e3:.3g} ms"
