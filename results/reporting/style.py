# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Colours, sizes and the output of figures."""
import io
import re

import matplotlib

from .output import write_whole

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

# The palette of Okabe and Ito, which colour-blind readers can tell apart. Each series also has its
# own marker or hatch.
MEASURED, PREDICTED, OTHER, GOOD, SKY = "#0072B2", "#D55E00", "#CC79A7", "#009E73", "#56B4E9"
GREY = "#808080"  # readable on white and on black
INK = "#010203"  # colour of text and axes; in the page it is replaced by the page's text colour
PAPER = "#fdfeff"  # colour behind text; in the page it is replaced by the page's background

matplotlib.rcParams.update({
    "figure.figsize": (5.2, 4.0), "savefig.dpi": 160, "font.size": 10, "axes.titlesize": 10, "legend.fontsize": 8.5,
    "axes.grid": True, "grid.color": GREY, "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "svg.fonttype": "path", "svg.hashsalt": "ddproxy", "text.color": INK,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "figure.facecolor": "none", "axes.facecolor": "none",
})


def time_scale(seconds):
    """Returns (factor, unit). The unit is the largest one of s, ms and µs in which `seconds` is at least 1, or else µs. The factor converts seconds
    to this unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0:
            return factor, unit
    return 1e6, "µs"


def size(count, unit="B"):
    """Formats a number of bytes for people."""
    for power, prefix in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        if count >= 1024**power:
            return f"{count / 1024**power:.4g} {prefix}{unit}"
    return f"{count:g} {unit}"


def number(value):
    """Formats a number with three significant digits or more, and without an exponent if it is at least 1."""
    return f"{value:.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def plain_log_labels(axes):
    """Labels the logarithmic y axis with plain numbers at powers of ten. If the ends of the axis differ by less than a factor of 300, also labels 2
    and 5 in each decade. If they differ by more than a factor of 1e5, leaves the labels as they are."""
    low, high = axes.get_ylim()
    if high > 1e5 * low:
        return
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300.0 * low else (1.0,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def legend_above(axes, columns=2):
    axes.legend(loc="lower left", bbox_to_anchor=(-0.13, 1.0), ncol=columns, borderaxespad=0.3,
                columnspacing=1.0, handlelength=1.6, markerscale=0.7)


def save_png(figure, path):
    return write_whole(path, lambda file: figure.savefig(file, format="png", facecolor="white", bbox_inches="tight"))


def as_svg(figure, name):
    """Returns the figure as SVG for a page. Its ids are unique in the page, and its text has the page's colour."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):].replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    svg = svg.replace(MEASURED.lower(), "var(--measured)")  # this blue is too dark on a dark page
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)


def close(figure):
    plt.close(figure)
