#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""sensitivity.py FILE.csv -o FIGURE.png [--title TEXT]: draws the table that `ddproxy predict --sensitivity --csv FILE.csv` writes. Needs matplotlib."""
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
SAME = "Where curves are equal, their markers stand inside each other."
plt.rcParams["savefig.dpi"] = 100
LOWEST, HIGHEST = 0.01, 4096.0  # range of the axis in MiB; a cap outside of this range gives the same plan as the nearer end


def read(path):
    """Returns {quantity: rows in ascending order of the value}. Leaves out quantities with a single row. Raises ValueError if a column is missing."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lacking = {"quantity", "value", "low_mib", "high_mib", *(name for name, *_ in CURVES)} - set(rows[0] if rows else ())
    if lacking:
        raise ValueError(f"{path}: has no column {', '.join(sorted(lacking))}; write the table with: ddproxy predict --sensitivity --csv FILE")
    found = {}
    for row in sorted(rows, key=lambda row: float(row["value"])):
        found.setdefault(row["quantity"], []).append(row)
    return {quantity: found[quantity] for quantity in LABELS if len(found.get(quantity, ())) > 1}


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
        low = max(float(row["low_mib"]), LOWEST)
        high = min(float(row["high_mib"] or HIGHEST), HIGHEST)
        axes.plot([float(row["value"])] * 2, [low, high], color=style.PREDICTED, linewidth=6, solid_capstyle="butt",
                  marker="_", markersize=8)
        for cut, end, marker in ((float(row["low_mib"]) < LOWEST, LOWEST, "v"), (float(row["high_mib"] or math.inf) > HIGHEST, HIGHEST, "^")):
            if cut:
                axes.plot(float(row["value"]), end, marker=marker, markersize=9, color=style.PREDICTED, clip_on=False, zorder=3, gid="cut")
    axes.axhline(25, color=style.OTHER, linestyle="--", linewidth=1)
    axes.set_yscale("log")
    axes.set_ylim(LOWEST, HIGHEST)
    axes.set_ylabel("best caps\n(MiB, log scale)")


def draw(quantities, title):
    figure, grid = plt.subplots(len(quantities), 2, figsize=(8, 2.3 * len(quantities) + 0.6), squeeze=False, layout="constrained")
    for (quantity, rows), (left, right) in zip(quantities.items(), grid):
        draw_exposed(left, rows)
        draw_best(right, rows)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel(LABELS[quantity])
            axes.set_xticks([float(row["value"]) for row in rows], [f"{float(row['value']):.4g}" for row in rows])
            axes.xaxis.set_minor_locator(plt.NullLocator())
    grid[0][0].legend(ncol=2)
    grid[0][1].plot([], [], marker="v", linestyle="none", color=style.PREDICTED, label="the bar continues beyond the axis")
    grid[0][1].legend(loc="upper left")
    figure.suptitle(f"{title}\n{SAME}", fontsize=10)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE.csv", help="table that `ddproxy predict --sensitivity --csv FILE.csv` wrote")
    parser.add_argument("-o", "--output", metavar="FIGURE.png", required=True, help="picture to write")
    parser.add_argument("--title", default="", help="title of the picture; default: the name of the table")
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
