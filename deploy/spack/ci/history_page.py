#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""history_page.py NIGHTS [DECISION.json] -o PAGE.html   draws the ratio of each night to the reference build, one plot a case.

NIGHTS is the folder with the *.night.json files of scripts/gate --history. DECISION.json is a file that `ddproxy compare --history --json`
wrote. The page begins with the decision of this file, and the title of each plot says what changed. The page is one file and loads nothing
from the network. Exit codes: 0 success; 2 wrong usage, no night, or no matplotlib; 4 the page could not be written."""
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


FIRST = "The first night: nothing to compare with yet."


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


def slower(share):
    """Returns a change of the time in words, for instance "2.1 % slower". `share` is positive if the time became longer."""
    return f"{100 * abs(share):.1f} % {'faster' if share < 0 else 'slower'}"


def two_errors(case, rounds):
    """Returns two standard errors of the log ratio of a night, from its rounds. Returns NaN for a single round, which has no deviation."""
    return math.nan if case["deviation"] is None else 2 * case["deviation"] / math.sqrt(rounds)


def last_night(name, nights):
    """Returns in words how much slower than the reference build a case was in the last night that has it, and whether this is noise."""
    number, (_, _, rounds, cases) = next((k, night) for k, night in reversed(list(enumerate(nights))) if name in night[3])
    change, errors = cases[name]["log_ratio"], two_errors(cases[name], rounds)
    noise = ";\nwith a single round, the noise is not known" if math.isnan(errors) else ", within the noise" if abs(change) <= errors else ""
    return f"{slower(math.expm1(change))} than the reference build in night {number}{noise}"


def row_of(name, decision):
    """Returns the row of a case in the table of `compare --history`, {column: value}. Returns an empty row if the decision has none."""
    columns = decision.get("history", {})
    return {column: values[columns["case"].index(name)] for column, values in columns.items()} if name in columns.get("case", ()) else {}


def since(row, nights):
    """Returns since when a case is slower or faster, for instance "since night 12 (2026-11-20)"."""
    number = [k for k, (created, *_) in enumerate(nights) if created == row["since"]]
    return f"since night {number[0]} ({row['since'][:10]})" if number else f"since {row['since'][:10]}"


def finding(name, nights, decision):
    """Returns the title of a plot: what changed, and since which night. It repeats the verdict of `compare --history`. Without a verdict, or
    if it is "undecided", the title compares the last night that measured the case with the reference build."""
    row = row_of(name, decision)
    verdict = row.get("verdict", "")
    if verdict.startswith("slower"):
        return f"{name}: {slower(row['ratio'] - 1)} {verdict.removeprefix('slower ')}, {since(row, nights)}"
    if verdict == "faster":
        return f"{name}: faster {since(row, nights)}"
    if verdict == "unchanged":
        return f"{name}: no slowdown found (one of {100 * row['seen_after_1']:.1f} % would show after one night)"
    doubt = "the nights are too few or too noisy to exclude a slowdown" if name in nights[-1][3] else "the newest night did not measure this case"
    return f"{name}: {last_night(name, nights)}" + f";\n{doubt}" * (verdict == "undecided")


def draw(name, nights, decision):
    """Returns a plot of a case as SVG: the slowdown in percent over the nights, with error bars of two standard errors in each direction. A night
    of a single round has no error bar."""
    points = [(k, cases[name], rounds) for k, (_, _, rounds, cases) in enumerate(nights) if name in cases]
    errors = [two_errors(case, rounds) for _, case, rounds in points]
    figure, axes = pyplot.subplots(figsize=(7, 2.6), layout="constrained")
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.errorbar([k for k, _, _ in points], [100 * math.expm1(case["log_ratio"]) for _, case, _ in points],
                  [0.0 if math.isnan(error) else 100 * error for error in errors], fmt="o", markersize=3, linewidth=0.8)
    figure.suptitle(finding(name, nights, decision), fontsize=10, fontweight="bold")
    axes.set(xlabel="number of the night (see the table of nights)", ylabel="slower than the\nreference build by (%)", xlim=(-0.5, len(nights) - 0.5))
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")  # a long title makes the picture wider
    pyplot.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def page(nights, decision):
    """Returns the page. `decision` is the content of the file that `ddproxy compare --history --json` wrote, or empty."""
    names = list(dict.fromkeys(name for *_, cases in nights for name in cases))
    names.sort(key=lambda name: name != "the whole")
    rows = "".join(f"<tr><td>{k}<td>{html.escape(created)}<td>{html.escape(revision)}" for k, (created, revision, _, _) in enumerate(nights))
    return ("<!DOCTYPE html><html lang=en><meta charset=utf-8><title>ddproxy: history of nights</title><style>body{font:15px sans-serif;margin:2em}"
            "td{padding-right:2em}</style><h1>History of nights</h1>"
            f"<p>{html.escape(decision.get('reason', FIRST))}<p>Each point shows by how many percent the build of a night is slower than the reference build. The bars are two standard "
            f"errors in each direction, from the rounds of that night.{''.join(draw(name, nights, decision) for name in names)}<h2>Nights</h2><table>{rows}</table></html>\n")


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
    content = page(nights, json.loads(options.decision.read_text()) if decided else {})
    try:
        options.output.write_text(content)
    except OSError as error:
        print(f"history_page.py: {options.output} could not be written: {error.strerror}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
