# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws published step times beside a fitted roofline, from the JSON of `ddproxy step --against`."""
import json
import math
from pathlib import Path

from . import page, style
from .errors import ReportError
from .output import write_text
from .style import plt
from .tables import Table

PHASES = {"forward": "forward", "backward": "backward", "forward_backward": "forward and backward", "step": "step"}
ROW_NUMBERS = ("batch", "context", "published_s", "fitted_s", "error", "product_share", "launch_share")
FIT_NUMBERS = ("peak_flops", "launch_s", "startup_s")
TIMES = ("Published times (circles) and the times that the fitted roofline gives (crosses). The roofline is fitted on the filled circles only. The number is the error of the "
         "fitted time in percent. The vertical axes are logarithmic.")
SHARES = "Share of a kind of kernels in the published time of a phase, and in its fitted time. The fitted share includes the launches of these kernels."
FIT_NOTE = ("The time of a kernel is max(flops / peak, bytes / bandwidth) + launch. A dash in the column bandwidth means that no bandwidth limits these times. The column base names the "
            "series from which the bandwidth was taken; a series without a warm-up takes the whole roofline from this base. The columns of errors cover only rows on which the "
            "roofline was not fitted.")


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _check(path, good, what):
    if not good:
        raise ReportError(f"{path}: {what}; write the file with: ddproxy step --against published --json FILE")


def read(path):
    """Returns the comparison in the file as a dictionary. Raises ReportError if the file holds no complete comparison."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path}: is not JSON: {' '.join(str(error).split())}; write the file with: ddproxy step --against published --json FILE") from error
    _check(path, isinstance(data, dict) and isinstance(data.get("series"), list) and data["series"] and isinstance(data.get("shares"), list), "has no series of step times")
    for series in data["series"]:
        _check_series(path, series)
    for share in data["shares"]:
        good = isinstance(share, dict) and all(_number(share.get(n)) for n in ("published", "fitted")) and all(isinstance(share.get(n), str) for n in ("series", "preset", "kind"))
        _check(path, good and share.get("phase") in PHASES, "has a share that is not complete")
    return data


def _check_series(path, series):
    good = isinstance(series, dict) and isinstance(series.get("series"), str) and isinstance(series.get("rows"), list) and series["rows"]
    _check(path, good and all(isinstance(series.get(n), dict) for n in ("fit", "compared")), "has a series that is not complete")
    _check(path, all(_number(series["fit"].get(n)) for n in FIT_NUMBERS), f"has a fit of {series['series']} that is not complete")
    for row in series["rows"]:
        good = isinstance(row, dict) and all(_number(row.get(n)) for n in ROW_NUMBERS) and all(isinstance(row.get(n), str) for n in ("preset", "use"))
        _check(path, good and row.get("phase") in PHASES and row["published_s"] > 0 and row["fitted_s"] > 0, f"has a row of {series['series']} that is not complete")


def panels(data):
    """Returns [(series, phase, rows)], one for each phase of each series."""
    found = {}
    for series in data["series"]:
        for row in series["rows"]:
            found.setdefault((series["series"], row["phase"]), []).append(row)
    return [(series, phase, rows) for (series, phase), rows in found.items()]


def _short(preset):
    return preset.removeprefix("cs336-").removesuffix("-gelu")


def draw_panel(axes, series, phase, rows):
    places = range(len(rows))
    axes.plot(places, [row["fitted_s"] * 1e3 for row in rows], "x", color=style.PREDICTED, markersize=8, label="fitted roofline")
    for place, row in zip(places, rows):
        filled = row["use"] == "fit"
        axes.plot([place], [row["published_s"] * 1e3], "o", color=style.MEASURED, fillstyle="full" if filled else "none", markersize=6)
        percent = 100 * row["error"]
        axes.annotate(f"{percent:+.0f}" if abs(percent) >= 0.5 else "0", (place, max(row["fitted_s"], row["published_s"]) * 1e3), textcoords="offset points", xytext=(0, 6),
                      ha="center", fontsize=8)
    axes.set_yscale("log")
    values = [row[name] * 1e3 for row in rows for name in ("published_s", "fitted_s")]
    axes.set_ylim(min(values) / 1.4, max(values) * 1.8)
    axes.set_xticks(list(places), [_short(row["preset"]) for row in rows])
    axes.set_xlim(-0.5, len(rows) - 0.5)
    axes.set_title(f"{series}: {PHASES[phase]}")


def draw_times(data):
    shown = panels(data)
    across = min(3, len(shown))
    down = math.ceil(len(shown) / across)
    figure, grid = plt.subplots(down, across, figsize=(3.0 * across, 2.5 * down), squeeze=False, layout="constrained")
    for axes, panel in zip(grid.flat, shown):
        draw_panel(axes, *panel)
    for axes in list(grid.flat)[len(shown):]:
        axes.set_axis_off()
    for line in grid:
        line[0].set_ylabel("time (ms, log scale)")
    return figure


def draw_shares(data):
    """Returns a figure with bars of the shares, or None if there are no shares."""
    rows = data["shares"]
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(5.2, 0.9 * len(rows) + 1.0), layout="constrained")
    places = range(len(rows))
    axes.barh([p - 0.2 for p in places], [100 * row["published"] for row in rows], 0.36, color=style.MEASURED, label="published")
    axes.barh([p + 0.2 for p in places], [100 * row["fitted"] for row in rows], 0.36, color=style.PREDICTED, hatch="//", label="fitted roofline")
    axes.set_yticks(list(places), [f"{row['kind']}\n{PHASES[row['phase']]} of {_short(row['preset'])}" for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("share of the time (%)")
    axes.set_xlim(0, 100)
    axes.legend(loc="upper right")
    return figure


def finding(data):
    """Returns one sentence on the errors of the first series."""
    series = data["series"][0]
    compared = series["compared"]
    if not _number(compared.get("mean_error")) or not _number(compared.get("max_error")):
        return f"{series['series']}: all rows were fitted, so no row is left to compare with the roofline"
    sizes = dict.fromkeys(_short(row["preset"]) for row in series["rows"] if row["use"] != "fit")
    return (f"{series['series']}: the roofline gives the times of {', '.join(sizes)} with a mean error of {100 * compared['mean_error']:.1f} % and at most "
            f"{100 * compared['max_error']:.1f} % ({compared.get('worst', '')})")


def tables_of(data):
    """Returns the tables of the page: the fits, the times, the shares."""
    fits, times = [], []
    for series in data["series"]:
        fit, compared = series["fit"], series["compared"]
        bandwidth = fit.get("bandwidth_bytes_per_s")
        errors = [100 * compared[n] if _number(compared.get(n)) else None for n in ("mean_error", "max_error")]
        fits.append([series["series"], fit["peak_flops"] / 1e12, bandwidth / 1e12 if _number(bandwidth) else None, fit["launch_s"] * 1e6, fit["startup_s"] * 1e3,
                     fit.get("base") or "", *errors])
        times += [[series["series"], row["preset"], PHASES[row["phase"]], row["published_s"] * 1e3, row["fitted_s"] * 1e3, 100 * row["error"], 100 * row["product_share"],
                   100 * row["launch_share"], row["use"]] for row in series["rows"]]
    shares = [[row["series"], row["preset"], PHASES[row["phase"]], row["kind"], 100 * row["published"], 100 * row["fitted"]] for row in data["shares"]]
    percent = "+.1f"
    tables = [Table("fits", "Fitted rooflines", [("series", "series", ""), ("peak", "peak (Tflop/s)", ".1f"), ("bandwidth", "bandwidth (TB/s)", ".3g"),
                                                 ("launch", "launch of a kernel (µs)", ".1f"), ("startup", "added without warm-up (ms)", ".1f"), ("base", "base", ""),
                                                 ("mean", "mean error (%)", ".1f"), ("max", "largest error (%)", ".1f")], fits, FIT_NOTE),
              Table("times", "Every time", [("series", "series", ""), ("preset", "model", ""), ("phase", "phase", ""), ("published", "published (ms)", ".1f"),
                                            ("fitted", "fitted (ms)", ".1f"), ("error", "error (%)", percent), ("products", "matrix products (% of fitted)", ".1f"),
                                            ("launches", "launches (% of fitted)", ".1f"), ("use", "use", "")], times)]
    if shares:
        tables.append(Table("shares", "Shares of kinds of kernels", [("series", "series", ""), ("preset", "model", ""), ("phase", "phase", ""), ("kind", "kernels", ""),
                                                                     ("published", "published (%)", ".1f"), ("fitted", "fitted (%)", ".1f")], shares))
    return tables


def write(path, folder):
    """Writes the page and its plots. Returns their paths, the page first."""
    data, stem = read(path), Path(path).stem
    folder.mkdir(parents=True, exist_ok=True)
    written, pictures = [], []
    for name, drawn, caption in (("times", draw_times(data), TIMES), ("shares", draw_shares(data), SHARES)):
        if drawn is None:
            continue
        pictures.append(page.figure(style.as_svg(drawn, name), caption))
        if name == "times":
            drawn.suptitle(finding(data), fontsize=9.5, y=1.01, va="bottom")
        written.append(style.save_png(drawn, folder / f"{stem}-{name}.png"))
        style.close(drawn)
    origin = f"Times: {data.get('file', '')}." + (f" Source: {data['source']}." if data.get("source") else "")
    note = f'<p class="lead">{page.escape(finding(data))}.</p><p class="note">{page.escape(origin)}</p>'
    tables = "".join(f"<h2>{table.heading}</h2>{page.noted_table(table)}" for table in tables_of(data))
    title = "ddproxy: published step times against a fitted roofline"
    body = f'<h1>{title}</h1>{note}{"".join(pictures)}{tables}'
    return [write_text(folder / f"{stem}.html", page.document(title, body)), *written]
