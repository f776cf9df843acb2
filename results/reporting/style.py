# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Colours, sizes and the writing of figures."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's palette, which the colour-blind can tell apart; each series has its own marker too.
MEASURED, PREDICTED, OTHER, GOOD, GREY = "#0072B2", "#D55E00", "#CC79A7", "#009E73", "#777777"

matplotlib.rcParams.update({
    "figure.figsize": (9, 6.5), "figure.dpi": 110, "savefig.bbox": "tight", "font.size": 10.5,
    "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "svg.fonttype": "none",
})


def time_scale(seconds):
    """(factor, unit) that makes the largest of the values readable."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1.0:
            return factor, unit
    return 1e6, "µs"


def save(figure, path):
    figure.savefig(path)
    plt.close(figure)
    return path
