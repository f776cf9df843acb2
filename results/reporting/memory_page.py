# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the memory of a rank from the JSON of `ddproxy memory`: stacked bars at the peak, and a timeline of live memory."""
import json
import math
from pathlib import Path

from . import page, style
from .errors import ReportError
from .output import write_text
from .style import plt
from .tables import Table

GIGA = 1e9
# The layers of a stack (not of the model), from left to right in a bar and from bottom to top in a timeline:
# (kinds of buffers, label, colour, hatch in a bar).
LAYERS = ((("parameter",), "parameters", style.MEASURED, ""), (("gradient",), "gradients", style.PREDICTED, ""), (("bucket",), "buckets", style.OTHER, ""),
          (("optimizer_state",), "optimizer state", style.GOOD, ""), (("gathered_unit", "cached_weight"), "gathered parameters, copies of weights", style.SKY, "//"),
          (("activation",), "activations", "#E69F00", ""), (("activation_gradient",), "gradients of activations", "#F0E442", ".."),
          (("scalar",), "other", style.GREY, ""))
FORMULA = "parameters, gradients, buckets and\noptimizer state by the formulas of ZeRO"
BARS = ("Live memory of a rank at the peak of the step, divided by kind. Gathered parameters are those that FSDP has gathered from the other ranks; copies of weights are those that "
        "autocast makes in bf16. The circle shows parameters, gradients, buckets and optimizer state by the formulas of ZeRO (docs/model.md). The formulas assume that all gradients "
        "are in memory at once. They count no activations and no gathered parameters.")
TIMES = ("Live memory of a rank over a step. The dot is the peak. The times follow from the roofline of the input: an operation takes as long as its flops take at the peak rate, or its "
         "bytes at the bandwidth of the memory, whichever is longer, divided by the efficiency. If the input has no [machine], the rates are those of a usual accelerator (docs/memory.md).")
COMMAND = "write the file with: ddproxy memory INPUT --json FILE"


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _check(path, good, what):
    if not good:
        raise ReportError(f"{path}: {what}; {COMMAND}")


def _is_bytes(value):
    return isinstance(value, dict) and all(_number(v) and v >= 0 for v in value.values())


def _check_timeline(path, timeline):
    good = isinstance(timeline, dict) and isinstance(timeline.get("seconds"), list) and timeline["seconds"] and isinstance(timeline.get("bytes"), dict)
    _check(path, good and all(_number(s) for s in timeline["seconds"]), "has a case without a timeline")
    for values in timeline["bytes"].values():
        _check(path, isinstance(values, list) and len(values) == len(timeline["seconds"]) and all(_number(v) for v in values), "has a timeline that is not complete")


def read(path):
    """Returns the content of the file as a dictionary. Raises ReportError if the file holds no complete prediction of memory."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: is not JSON: {' '.join(str(error).split())}; {COMMAND}") from error
    _check(path, isinstance(data, dict) and isinstance(data.get("cases"), list) and data["cases"] and isinstance(data.get("least_ranks"), list), "has no memory of a step")
    for case in data["cases"]:
        good = isinstance(case, dict) and all(isinstance(case.get(n), str) for n in ("precision", "shard")) and all(_number(case.get(n)) for n in ("ranks", "peak_bytes", "peak_s"))
        _check(path, good and all(_is_bytes(case.get(n)) for n in ("start", "peak", "closed_form")), "has a case that is not complete")
        _check_timeline(path, case.get("timeline"))
    return data


def layer_bytes(bytes_of_kinds, kinds):
    return sum(bytes_of_kinds.get(kind, 0) for kind in kinds)


def name_of(case):
    ranks = f"{case['ranks']} rank" + "s" * (case["ranks"] != 1)
    return f"{case['precision']}, {case['shard']}, {ranks}"


def _used(of_kinds):
    """Returns the layers that have bytes in at least one of the dictionaries. `of_kinds` is a list of {kind: bytes}."""
    return [layer for layer in LAYERS if any(layer_bytes(bytes_of, layer[0]) for bytes_of in of_kinds)]


def _used_in_timelines(cases):
    """Returns the layers that are not empty at some moment of a timeline. A layer can be empty at the peak and not at another moment."""
    return _used([{kind: max(values) for kind, values in case["timeline"]["bytes"].items()} for case in cases])


def draw_bars(data):
    cases = data["cases"]
    figure, axes = plt.subplots(figsize=(6.4, 0.3 * len(cases) + 1.6), layout="constrained")
    places, left = range(len(cases)), [0.0] * len(cases)
    for kinds, label, colour, hatch in _used([case["peak"] for case in cases]):
        widths = [layer_bytes(case["peak"], kinds) / GIGA for case in cases]
        axes.barh(places, widths, 0.7, left=left, color=colour, hatch=hatch, label=label)
        left = [start + width for start, width in zip(left, widths)]
    axes.plot([sum(case["closed_form"].values()) / GIGA for case in cases], places, "o", color=style.INK, fillstyle="none", markersize=5, linestyle="none", label=FORMULA)
    if _number(data.get("device_bytes")):
        axes.axvline(data["device_bytes"] / GIGA, color=style.INK, linestyle="--", linewidth=1, label="memory of a device")
    axes.set_yticks(list(places), [name_of(case) for case in cases])
    axes.invert_yaxis()
    axes.set_xlabel("live memory at the peak (GB)")
    figure.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=2)  # a wider legend would make the text of a narrow page smaller
    return figure


def chosen_for_timeline(cases):
    """Returns the cases of the timelines: of each precision and sharding, the one with the most ranks."""
    found = {}
    for case in cases:
        key = case["precision"], case["shard"]
        if key not in found or case["ranks"] > found[key]["ranks"]:
            found[key] = case
    return list(found.values())


def _draw_timeline(axes, case, factor):
    seconds = [s * factor for s in case["timeline"]["seconds"]]
    stacks, colours = [], []
    for kinds, _, colour, _ in LAYERS:
        rows = [case["timeline"]["bytes"][kind] for kind in kinds if kind in case["timeline"]["bytes"]]
        if rows:
            stacks.append([sum(values) / GIGA for values in zip(*rows)])
            colours.append(colour)
    axes.stackplot(seconds, *stacks, colors=colours, step="post", linewidth=0)
    axes.plot(case["peak_s"] * factor, case["peak_bytes"] / GIGA, "o", color=style.INK, markersize=3.5)
    axes.set_title(name_of(case), loc="left", fontsize=9.5)
    axes.set_xlim(0, max(seconds[-1], 1e-12))


def draw_timelines(data):
    cases = chosen_for_timeline(data["cases"])
    factor, unit = style.time_scale(max(case["timeline"]["seconds"][-1] for case in cases))
    across = min(2, len(cases))
    down = math.ceil(len(cases) / across)
    figure, grid = plt.subplots(down, across, figsize=(3.6 * across, 1.9 * down + 0.7), squeeze=False, sharey=True, layout="constrained")
    for axes, case in zip(grid.flat, cases):
        _draw_timeline(axes, case, factor)
    for axes in list(grid.flat)[len(cases):]:
        axes.set_axis_off()
    for line in grid:
        line[0].set_ylabel("live memory (GB)")
    for axes in grid[-1]:
        axes.set_xlabel(f"time since the start of the step ({unit})")
    drawn = _used_in_timelines(cases)
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for _, _, colour, _ in drawn]
    figure.legend(handles, [label for _, label, _, _ in drawn], loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=3)
    return figure


def _least(least):
    """Returns the smallest number of ranks of one precision and sharding in words, for instance "fp32, fsdp: 2"."""
    number = least["ranks"] if _number(least.get("ranks")) else "does not fit with any number"
    return f"{least['precision']}, {least['shard']}: {number}"


def finding(data):
    """Returns a text on the smallest numbers of ranks with which the step fits into the memory of a device. If the file lacks these numbers or the
    memory of a device, returns a sentence on the smallest peak."""
    answers = [_least(least) for least in data["least_ranks"] if isinstance(least, dict) and all(isinstance(least.get(n), str) for n in ("shard", "precision"))]
    if not answers or not _number(data.get("device_bytes")):
        lowest = min(data["cases"], key=lambda case: case["peak_bytes"])
        return f"The smallest peak is {lowest['peak_bytes'] / GIGA:.2f} GB: {name_of(lowest)}"
    return f"Smallest number of ranks for devices of {data['device_bytes'] / GIGA:g} GB. {'; '.join(answers)}"


def bars_title(data):
    """Returns the title of the bars: the largest peak, and what takes most of it."""
    case = max(data["cases"], key=lambda case: case["peak_bytes"])
    kinds, label, *_ = max(LAYERS, key=lambda layer: layer_bytes(case["peak"], layer[0]))
    share = layer_bytes(case["peak"], kinds) / max(sum(case["peak"].values()), 1)
    return f"Largest peak: {case['peak_bytes'] / GIGA:.2f} GB ({name_of(case)}),\n{100 * share:.0f} % of it {label}"


def timelines_title(data):
    """Returns the title of the timelines: when the largest of their peaks is reached."""
    case = max(chosen_for_timeline(data["cases"]), key=lambda case: case["peak_bytes"])
    end = case["timeline"]["seconds"][-1]
    moment = f"after {100 * case['peak_s'] / end:.0f} % of the step" if end > 0 else "at the start of the step"
    return f"{name_of(case)}:\nthe peak of {case['peak_bytes'] / GIGA:.2f} GB is reached {moment}"


def tables_of(data):
    rows = []
    for case in data["cases"]:
        parts = [layer_bytes(case["peak"], kinds) / GIGA for kinds, *_ in LAYERS[:-1]]
        rows.append([case["precision"], case["shard"], case["ranks"], *parts, case["peak_bytes"] / GIGA, sum(case["closed_form"].values()) / GIGA,
                     sum(case["start"].values()) / GIGA])
    columns = [("precision", "precision", ""), ("shard", "sharding", ""), ("ranks", "ranks", "g"), *((f"part{n}", f"{label} (GB)", ".3f") for n, (_, label, _, _) in enumerate(LAYERS[:-1])),
               ("peak", "peak (GB)", ".3f"), ("closed", "parameters, gradients, buckets and optimizer state by formula (GB)", ".3f"), ("start", "start of the step (GB)", ".3f")]
    return [Table("memory", "Memory of a rank at the peak", columns, rows)]


def write(path, folder):
    """Writes the page and its plots. Returns their paths, the page first."""
    data, stem = read(path), Path(path).stem
    folder.mkdir(parents=True, exist_ok=True)
    written, pictures = [], []
    model = data.get("model", "a model")
    for name, drawn, found, caption in (("bars", draw_bars(data), bars_title(data), BARS), ("timeline", draw_timelines(data), timelines_title(data), TIMES)):
        drawn.suptitle(found, fontsize=10.5, fontweight="bold", y=1.01, va="bottom")
        pictures.append(page.figure(style.as_svg(drawn, name), caption))
        drawn.suptitle(f"{found}\npredicted memory of {model}", fontsize=9.5, y=1.01, va="bottom")
        written.append(style.save_png(drawn, folder / f"{stem}-{name}.png"))
        style.close(drawn)
    title = f"ddproxy: predicted memory of {model}"
    tables = "".join(f"<h2>{table.heading}</h2>{page.noted_table(table)}" for table in tables_of(data))
    body = f'<h1>{page.escape(title)}</h1><p class="lead">{page.escape(finding(data))}.</p><div class="figures">{"".join(pictures)}</div>{tables}'
    return [write_text(folder / f"{stem}.html", page.document(title, body)), *written]
