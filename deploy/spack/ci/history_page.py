#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""history_page.py NIGHTS [DECISION.json] -o PAGE.html   draws the ratio of each night to the reference build, one plot a case.

NIGHTS is the folder with the *.night.json files of scripts/gate --history. DECISION.json is a file that `ddproxy compare --history --json`
wrote. The page begins with the decision of this file. The page is one file and loads nothing from the network. Exit codes: 0 success; 2 wrong
usage, no night, or no matplotlib; 4 the page could not be written."""
import argparse
import html
import io
import json
import math
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError as error:
    print(f"history_page.py: {error}; install matplotlib (Debian: python3-matplotlib)", file=sys.stderr)
    sys.exit(2)


def read_nights(folder):
    """Returns the nights of a folder, oldest first. Skips a file that does not have the format of a night, and prints a message."""
    nights = []
    for path in sorted(folder.glob("*.night.json")):
        try:
            night = json.loads(path.read_text())
            nights.append((night["created"], night["revision"], night["rounds"], {case["name"]: case for case in night["cases"]}))
        except (ValueError, KeyError, TypeError) as error:
            print(f"history_page.py: {path} is left out, because it is no night: {error}", file=sys.stderr)
    return sorted(nights, key=lambda night: night[0])


def draw(name, nights):
    """Returns a plot of a case as SVG: the slowdown in percent over the nights, with error bars of two standard errors in each direction."""
    points = [(k, cases[name], rounds) for k, (_, _, rounds, cases) in enumerate(nights) if name in cases]
    figure, axes = pyplot.subplots(figsize=(7, 2.2), layout="constrained")
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.errorbar([k for k, _, _ in points], [100 * math.expm1(case["log_ratio"]) for _, case, _ in points],
                  [200 * case["deviation"] / math.sqrt(rounds) for _, case, rounds in points], fmt="o", markersize=3, linewidth=0.8)
    axes.set(title=name, xlabel="night", ylabel="slower by, %", xlim=(-0.5, len(nights) - 0.5))
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    text = io.StringIO()
    figure.savefig(text, format="svg")
    pyplot.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def page(nights, decision):
    names = list(dict.fromkeys(name for *_, cases in nights for name in cases))
    names.sort(key=lambda name: name != "the whole")
    rows = "".join(f"<tr><td>{k}<td>{html.escape(created)}<td>{html.escape(revision)}" for k, (created, revision, _, _) in enumerate(nights))
    return ("<!DOCTYPE html><html lang=en><meta charset=utf-8><title>ddproxy: history of nights</title><style>body{font:15px sans-serif;margin:2em}"
            "td{padding-right:2em}</style><h1>History of nights</h1>"
            f"<p>{html.escape(decision)}<p>Each point shows by how many percent the build of a night is slower than the reference build. The bars are two standard "
            f"errors in each direction, from the rounds of that night.{''.join(draw(name, nights) for name in names)}<h2>Nights</h2><table>{rows}</table></html>\n")


def main():
    parser = argparse.ArgumentParser(description="Draws the ratio of each night to the reference build.")
    parser.add_argument("nights", type=pathlib.Path, help="folder of *.night.json files")
    parser.add_argument("decision", type=pathlib.Path, nargs="?", help="JSON of ddproxy compare --history")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    nights = read_nights(options.nights)
    if not nights:
        print(f"history_page.py: {options.nights} has no night (*.night.json); run scripts/gate with --history first", file=sys.stderr)
        return 2
    decided = options.decision is not None and options.decision.exists()
    content = page(nights, json.loads(options.decision.read_text())["reason"] if decided else "The first night: nothing to compare with yet.")
    try:
        options.output.write_text(content)
    except OSError as error:
        print(f"history_page.py: {options.output} could not be written: {error.strerror}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
