# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the titles of the figures. A title says in one sentence what the figure shows."""
import numpy as np

from . import costs_figure, derive, lead, samples_figure, step_figure, style
from .compare_figure import history_series
from .layers_figure import layer_seconds


def _split(files):
    """Returns a title that says how much of T is exposed communication at the best bucket size."""
    results = files[-1]
    totals, exposed = (derive.column(results, name) for name in ("measured_median", "exposed"))
    best = derive.best_case(results, totals)
    if best is None or not exposed[best] >= 0.0:
        return ""
    return f"With a bucket size of {lead.cap_text(results, best)}, {derive.percent(exposed[best] / totals[best])} of T is exposed communication"


def _samples(files):
    """Returns a title that says how far the samples scatter around the median of their case."""
    counted, _ = samples_figure.deviations(files[-1])
    distances = np.abs(counted[np.isfinite(counted)])
    return f"90 % of the samples differ from the median of their case by at most {np.quantile(distances, 0.9):.2g} %" if distances.size else ""


def _layers(files):
    """Returns a title with the layer that takes the largest share of the backward pass. The time of a layer is that of its slowest rank."""
    names, seconds = layer_seconds(files[-1])
    slowest = np.nan_to_num(seconds).max(axis=0)
    longest = int(np.argmax(slowest))
    return f"Longest layer: {names[longest]}, {derive.percent(slowest[longest] / slowest.sum())} of the backward pass" if slowest.sum() > 0 else ""


def _costs(files):
    """Returns a title with the speed of the operations as a share of the roofline. Without a roofline, the title has the highest speed.
    Returns an empty text if no figure of the costs can be drawn from the file."""
    found = costs_figure.costs(files[-1])
    if found is None:
        return ""
    if found.roof() is None:
        return f"The fastest operation reaches {found.speed.max() / 1e12:.3g} Tflop/s"
    shares = found.modelled / found.seconds
    return f"Half of the operations reach {derive.percent(derive.median(shares), 0)} of the roofline or more"


def _bandwidth(sizes, busbw, what):
    """Returns a title with the highest bus bandwidth. `what(index)` returns the name of the collective with
    this index. Returns an empty text if all bandwidths are 0, as on one rank."""
    if not (busbw > 0).any():
        return ""
    best = int(np.nanargmax(busbw))
    return f"Highest bus bandwidth: {what(best)}{busbw[best]:.3g} GB/s at {style.size(float(sizes[best]))}"


def _allreduce(files):
    results = files[-1]
    return _bandwidth(results["/allreduce/bytes"], results["/allreduce/busbw"], lambda best: "") if results.has("/allreduce/busbw") else ""


def _collectives(files):
    bytes_of, busbw, verbs = (files[-1]["/collectives/" + name] for name in ("bytes", "busbw", "verb"))
    return _bandwidth(bytes_of, busbw, lambda best: f"{verbs[best].replace('_', '-')}, ")


def _noise(first, before, newest, after):
    """Returns the end of a title: whether T of the case `before` in the first file and T of the case `after` in the newest file differ by noise
    only, which means that their intervals overlap. Returns an empty text if they differ by more. If one of them has no interval, the text says
    that the noise is not known."""
    (low, high), (other_low, other_high) = ([derive.column(f, name)[case] for name in ("ci_low", "ci_high")]
                                            for f, case in ((newest, after), (first, before)))
    if not np.isfinite([low, high, other_low, other_high]).all():
        return ";\nwithout an interval of T, the noise is not known"
    return ", within the noise" if low <= other_high and other_low <= high else ""


def _against(files):
    """Returns a title that compares the best T of the newest file with that of the first file. It says whether the difference is noise."""
    first, newest = files[0], files[-1]
    before, after = (derive.best_case(f, derive.column(f, "measured_median")) for f in (first, newest))
    if before is None or after is None:
        return ""
    change = derive.column(newest, "measured_median")[after] / derive.column(first, "measured_median")[before] - 1.0
    return (f"Best T of {newest.path.stem}: {derive.percent(abs(change))} {'shorter' if change < 0 else 'longer'} than the best T of {first.path.stem}"
            f"{_noise(first, before, newest, after)}")


def _history(files):
    """Returns a title that says how T of a case changed from the first file to the newest one, and whether the change is noise. The case is the
    best bucketed case of the first file. If one of the two files lacks this case, the title is about the next case of history_series() that
    both files have."""
    for name, values in history_series(files).items():
        if np.isfinite(values[[0, -1]]).all():
            before, after = (int(np.flatnonzero(derive.case_names(f) == name)[0]) for f in (files[0], files[-1]))
            change = derive.percent(values[-1] / values[0] - 1.0, sign="+")
            return f"T of {name}: {change} from the first file to the newest{_noise(files[0], before, files[-1], after)}"
    return ""


FINDINGS = {"sweep": lambda files: lead.finding(files[-1]), "step": lambda files: step_figure.finding(files[-1]), "split": _split, "samples": _samples, "layers": _layers, "costs": _costs,
            "allreduce": _allreduce, "collectives": _collectives, "against": _against, "history": _history}


def of(name, files):
    """Returns the title of the figure `name`. The newest file is the last one of `files`. Returns an empty text if the files lack the values
    that the title needs."""
    return FINDINGS[name](files) if name in FINDINGS else ""
