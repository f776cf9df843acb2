# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws T of several files in one figure: over the bucket size, or over time."""
import datetime

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.dates import ConciseDateFormatter

from . import derive, style
from .cases import Cases, has_caps

LINES = ((style.MEASURED, "o", "-"), (style.PREDICTED, "s", "--"), (style.GOOD, "^", "-."), (style.OTHER, "D", ":"),
         (style.SKY, "v", "-"), ("#E69F00", "P", "--"))


def draw_against(files):
    """Returns a figure with T(b) of each file. Draws only the first six files. All strategies with caps except
    `bucketed` have dotted lines. Returns None if a file has no cases with a cap."""
    if not all(map(has_caps, files)):
        return None
    factor, unit = style.time_scale(max(np.fmax.reduce(derive.column(f, "measured_median")) for f in files))
    figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
    for results, (colour, marker, line) in zip(files, LINES):
        cases, values = Cases(results, files), derive.column(results, "measured_median") * factor
        low, high = (derive.column(results, n) * factor for n in ("ci_low", "ci_high"))
        added = ((chosen, ":", "x", f"{results.path.stem}: {name}") for name, chosen in cases.added_lines().items())
        for chosen, joined, mark, label in ((cases.line(), line, marker, results.path.stem), (cases.beside(), "none", marker, None), *added):
            ends = np.nan_to_num(np.abs(np.vstack([values - low, high - values])[:, chosen]))
            axes.errorbar(cases.x[chosen], values[chosen], ends, color=colour, marker=mark, linestyle=joined, capsize=3,
                          markersize=5, label=label)
    Cases(files[0], files).label(axes)
    medians = np.concatenate([derive.column(f, "measured_median") for f in files])
    if np.nanmax(medians) > 10 * np.nanmin(medians):
        axes.set_yscale("log")
    axes.set_ylabel(f"T: backward pass with all-reduces ({unit})")
    style.legend_above(axes)
    return figure


def differences(files):
    """Returns the names of the properties in which the work of the files differs. Only properties that influence T are compared."""
    keys = [("/model", k) for k in ("preset", "shape", "precision", "batch", "sequence")]
    keys += [("/sweep", k) for k in ("ranks", "compute_mode", "backend", "copies", "wire")]
    unlike = [f"{group[1:]} {name}" for group, name in keys if len({str(f.attribute(group, name)) for f in files}) > 1]
    return unlike + ["the buckets of cases with the same name"] * _cuts_other_buckets(files)


def _cuts_other_buckets(files):
    """Returns whether cases of the same name have different numbers of buckets. The optimal plan does not count, because it depends on
    what was measured."""
    buckets = {}
    for file in (f for f in files if f.has("/sweep/strategy", "/sweep/buckets")):
        for name, strategy, number in zip(derive.case_names(file), file["/sweep/strategy"], file["/sweep/buckets"]):
            if strategy != "optimal" and np.isfinite(number):
                buckets.setdefault(name, set()).add(int(number))
    return any(len(numbers) > 1 for numbers in buckets.values())


def machine(results):
    """Returns (device, hosts) in words, or None if the file states neither."""
    device = str(results.attribute("/provenance", "device_kind", ""))
    hosts = sorted(set(results.values.get("/provenance/host", ())))
    shown = ", ".join(hosts[:3]) + (f" and {len(hosts) - 3} more" if len(hosts) > 3 else "")
    return (device, shown) if device or shown else None


def differing_machines(files):
    """Returns a text that says which file is from which machine. Returns None if the files name fewer than two machines."""
    by_machine = {}
    for file in files:
        if found := machine(file):
            by_machine.setdefault(found, []).append(file.path.name)
    if len(by_machine) < 2:
        return None
    parts = [" on ".join(part for part in found if part) + f" ({_some(names)})" for found, names in by_machine.items()]
    return f"The machines differ: {'; '.join(parts)}. So the times may differ because of the machine, not only because of the program."


def _some(names):
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _time(results):
    text = str(results.attribute("/", "created", "")).replace("Z", "+00:00")
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def in_time(files):
    """Returns the files in the order of time. Files without a time come first."""
    return sorted(files, key=lambda f: str(f.attribute("/", "created", "")))


def draw_history(files):
    """Draws T of the best bucketed case, naive, flat and per_tensor over time. T is relative to the first file that has the case."""
    files = in_time(files)
    times = [_time(f) for f in files]
    x = times if all(times) and len(set(times)) == len(times) else list(range(len(files)))
    figure, axes = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
    for (name, values), (colour, marker, line) in zip(history_series(files).items(), LINES):
        axes.plot(x, values / values[np.isfinite(values)][0], marker=marker, linestyle=line, color=colour, label=name)
    axes.axhline(1.0, color=style.GREY, linewidth=0.8)
    axes.set_ylabel("T relative to the first file")
    axes.set_xlabel("time of the run" if x is times else "run, in the order of time")
    if x is times:
        axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))
    style.legend_above(axes)
    return figure


def history_series(files):
    """Returns {case: [T in each file]} for at most four cases of the first file: the best bucketed case, naive, flat and per_tensor. T is in seconds,
    and NaN if a file does not have the case. Leaves out cases that no file measured."""
    first = files[0]
    best = derive.best_case(first, derive.column(first, "measured_median"))
    names = [derive.case_names(first)[best]] if best is not None else []
    names += [n for n in derive.case_names(first) if n in ("naive", "flat", "per_tensor")]
    series = {}
    for name in names:
        values = np.array([_of_case(f, name) for f in files])
        if np.isfinite(values).any():
            series[name] = values
    return series


def _of_case(results, name):
    found = np.flatnonzero(derive.case_names(results) == name)
    return derive.column(results, "measured_median")[found[0]] if found.size else np.nan


def ratios(base, other):
    """Returns the rows (case, T of base, T of other, T of other / T of base) of the cases that both files measured. T is in seconds."""
    rows = []
    for name in derive.case_names(base):
        before, after = _of_case(base, name), _of_case(other, name)
        if np.isfinite(before) and np.isfinite(after):
            rows.append((name, before, after, after / before))
    return rows


