#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""sensitivity.py FILE.csv -o FIGURE.png [--title TEXT]: draws the table that `ddproxy predict --sensitivity --csv FILE.csv` writes. The title of the
picture says how much longer T is with 25 MiB than with the best cap, and how far apart the best caps are. TEXT stands below the title. Needs matplotlib."""
import argparse
import csv
import math
import sys
from pathlib import Path

from reporting.main import missing

try:
    from reporting import style
    from reporting.output import DiskError
    from reporting.style import plt
except ImportError as error:
    print(missing(error, "matplotlib (Debian: python3-matplotlib)"), file=sys.stderr)
    sys.exit(2)

LABELS = {"bytes": "bytes of the gradients (factor, log scale)", "model": "gradients of the GPT-2 models (MiB, log scale)",
          "latency": "network latency (factor, log scale)", "bandwidth": "network bandwidth (factor, log scale)",
          "ranks": "number of ranks (log scale)"}
# Column, label, marker, size of the marker, colour. Curves that are equal lie on each other. Their markers have different sizes and no filling, so that all can be seen.
CURVES = (("exposed_25_s", "25 MiB", "s", 11, style.OTHER), ("exposed_best_s", "best cap", "o", 8, style.PREDICTED),
          ("exposed_plan_s", "best plan", "D", 4, style.MEASURED), ("floor_s", "lower bound on E", "_", 14, style.GREY))
COMMON = 25  # MiB, PyTorch's default; the program writes the E of this cap to the column exposed_25_s
CAPTION = ("T: time of the backward pass with its all-reduces. Where curves are equal, their markers stand inside each other.\n"
           "Bars: caps whose T is at most 0.1 % above the smallest T. A triangle: the bar continues beyond the axis.")
plt.rcParams["savefig.dpi"] = 90  # so that the pictures of docs/figures stay below 200 KB
LOWEST, HIGHEST = 0.01, 4096.0  # range of the axis in MiB; a triangle marks a bar that continues beyond it


def read(path):
    """Returns {quantity: rows in ascending order of the value}. Leaves out quantities with a single row. Raises ValueError if a column is missing."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lacking = {"quantity", "value", "t_compute_s", "low_mib", "high_mib", *(name for name, *_ in CURVES)} - set(rows[0] if rows else ())
    if lacking:
        raise ValueError(f"{path}: has no column {', '.join(sorted(lacking))}; write the table with: ddproxy predict --sensitivity --csv FILE")
    found = {}
    for row in sorted(rows, key=lambda row: float(row["value"])):
        found.setdefault(row["quantity"], []).append(row)
    return {quantity: found[quantity] for quantity in LABELS if len(found.get(quantity, ())) > 1}


def situation(row):
    """Returns what is changed in a row, for instance "network latency x 16"."""
    value = f"{float(row['value']):.4g}"
    words = {"model": f"gradients of {value} MiB", "ranks": f"{value} ranks", "bytes": f"bytes of the gradients x {value}"}
    return words.get(row["quantity"], f"network {row['quantity']} x {value}")


def ends(row):
    """Returns the smallest and the largest of the best caps of a row, in MiB. Without an upper end the largest is infinite."""
    return float(row["low_mib"]), float(row["high_mib"] or math.inf)


def caps(low, high):
    """Returns a range of caps in words. A lower end that the axis does not show is left out."""
    if low < LOWEST:
        return "any cap" if math.isinf(high) else f"at most {high:.3g} MiB"
    return f"at least {low:.3g} MiB" if math.isinf(high) else f"{low:.3g}–{high:.3g} MiB"


def loss(row):
    """Returns by which share of T a pass with 25 MiB takes longer than one with the best cap."""
    best = float(row["exposed_best_s"])
    return (float(row["exposed_25_s"]) - best) / (float(row["t_compute_s"]) + best)


def finding(quantities):
    """Returns the title of the picture, in two lines: how much longer T is with 25 MiB than with the best cap, and how far apart the best caps are."""
    rows = [row for of_quantity in quantities.values() for row in of_quantity]
    worst, highest, lowest = max(rows, key=loss), max(rows, key=lambda row: ends(row)[0]), min(rows, key=lambda row: ends(row)[1])
    lost = f"up to {100 * loss(worst):.1f} % longer than the best cap does ({situation(worst)})" if loss(worst) >= 0.0005 else "less than 0.1 % longer than the best cap does"
    low, high = ends(highest)[0], ends(lowest)[1]
    moved = (f"Caps that are always among the best: {caps(low, high)}" if low <= high else
             f"The best caps range from {caps(*ends(lowest))} ({situation(lowest)}) to {caps(*ends(highest))} ({situation(highest)})")
    return f"Keeping {COMMON} MiB makes T {lost}.\n{moved}."


def draw_exposed(axes, rows):
    x = [float(row["value"]) for row in rows]
    for column, label, marker, size, colour in CURVES:
        axes.plot(x, [float(row[column]) * 1e3 for row in rows], marker=marker, color=colour, label=label, markersize=size, markerfacecolor="none", linewidth=1.0)
    axes.set_yscale("log")
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    axes.set_ylim(10 ** math.floor(low), 10 ** math.ceil(high))  # whole decades, so that at least one of them has a label
    axes.set_ylabel("exposed communication E\n(ms, log scale)")


def draw_best(axes, rows):
    for row in rows:
        low, high = ends(row)
        axes.plot([float(row["value"])] * 2, [max(low, LOWEST), min(high, HIGHEST)], color=style.PREDICTED, linewidth=6, solid_capstyle="butt",
                  marker="_", markersize=8)
        for cut, end, marker in ((low < LOWEST, LOWEST, "v"), (high > HIGHEST, HIGHEST, "^")):
            if cut:
                axes.plot(float(row["value"]), end, marker=marker, markersize=9, color=style.PREDICTED, clip_on=False, zorder=3, gid="cut")
    axes.axhline(COMMON, color=style.OTHER, linestyle="--", linewidth=1, label=f"{COMMON} MiB, PyTorch's default")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)  # above the axes, where no bar can cross it
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, HIGHEST)
    axes.set_ylabel("best caps\n(MiB, log scale)")


def draw(quantities, title):
    """Draws the table and returns the figure. `title` says what was predicted; it stands below the finding."""
    figure, grid = plt.subplots(len(quantities), 2, figsize=(8, 2.45 * len(quantities) + 0.9), squeeze=False, layout="constrained")
    for (quantity, rows), (left, right) in zip(quantities.items(), grid):
        draw_exposed(left, rows)
        draw_best(right, rows)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel(LABELS[quantity])
            axes.set_xticks([float(row["value"]) for row in rows], [f"{float(row['value']):.4g}" for row in rows])
            axes.xaxis.set_minor_locator(plt.NullLocator())
    grid[0][0].legend(ncol=2)
    figure.suptitle(f"{finding(quantities)}\n{title}", fontsize=10)
    figure.supxlabel(CAPTION, fontsize=8.5)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE.csv", help="table that `ddproxy predict --sensitivity --csv FILE.csv` wrote")
    parser.add_argument("-o", "--output", metavar="FIGURE.png", required=True, help="picture to write")
    parser.add_argument("--title", default="", help="what was predicted: the line below the finding; default: the name of the table")
    options = parser.parse_args()
    try:
        quantities = read(options.file)
        if not quantities:
            raise ValueError(f"{options.file}: no quantity has two rows or more, so there is nothing to draw")
        style.save_png(draw(quantities, options.title or Path(options.file).stem), options.output)
    except (DiskError, OSError, ValueError) as error:
        print(f"sensitivity.py: {error}", file=sys.stderr)
        return 4 if isinstance(error, DiskError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
