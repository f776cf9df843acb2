# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Computes values from a results file: medians that an interrupted run has not stored, the best case, the range of best caps."""
import warnings

import numpy as np

from .data import MIB

PYTORCH_DEFAULT_MIB = 25.0


def percent(share, digits=1, sign="-"):
    """Formats a share in per cent, as the messages of ddproxy do: "1.5 %". If `sign` is "+", positive numbers get a sign, too."""
    return f"{100.0 * share:{sign}.{digits}f} %"


def of_every_sample(results, name):
    """Returns the maximum over ranks of the dataset /sweep/`name`, [case, sample], also for samples that do not count. Ignores NaN."""
    return np.fmax.reduce(results["/sweep/" + name], axis=2)


def slowest(results, name):
    """Returns the maximum over ranks of the dataset /sweep/`name`, [case, sample]. The value is NaN for samples that do not count, because the
    machine was in another state."""
    values = of_every_sample(results, name)
    return np.where(results["/sweep/counted"] == 0, np.nan, values) if results.has("/sweep/counted") else values


def median(values, axis=None):
    """Returns the median of the finite values. Returns NaN without a warning if there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmedian(np.where(np.isfinite(values), values, np.nan), axis=axis)


def samples(results):
    return slowest(results, "measured")


def column(results, name):
    """Returns a column of /sweep, [case]. If the file of an interrupted run lacks a column of medians, computes it from the samples. Other
    missing columns are NaN."""
    if results.has("/sweep/" + name):
        return results["/sweep/" + name]
    total = slowest(results, "measured")
    if name == "measured_median":
        return median(total, 1)
    if name in ("exposed", "slowdown", "tail") and results.has("/sweep/compute", "/sweep/backward_end"):
        compute, end = slowest(results, "compute"), slowest(results, "backward_end")
        difference = {"exposed": total - compute, "slowdown": end - compute, "tail": total - end}[name]
        return median(difference, 1)
    return np.full(total.shape[0], np.nan)


def compute_seconds(results):
    """Returns T_compute of each case, [case]."""
    return median(slowest(results, "compute"), 1)


def comm_seconds(results):
    """Returns T_comm of each case, [case]: the median time of its all-reduces without compute, which are measured after each sample. For a case
    without this measurement it is the sum of a(x) over the buckets. The overlap is computed from the same times."""
    table = column(results, "comm")
    if not results.has("/sweep/comm_alone"):
        return table
    counts = results["/sweep/counted"] != 0 if results.has("/sweep/counted") else True
    alone = median(np.where(counts, results["/sweep/comm_alone"], np.nan), 1)
    return np.where(np.isfinite(alone), alone, table)


def case_names(results):
    """Returns the name of each case, [case]. A file of whole steps has one case without a name, which is called "step"."""
    if results.has("/sweep/name"):
        return results["/sweep/name"]
    if not results.has("/sweep/strategy") and results.has("/step/part"):
        return np.array(["step"], object)
    caps = results["/sweep/bucket_bytes"] / MIB
    return np.array([f"{s} {c:g} MiB" if np.isfinite(c) else s for s, c in zip(results["/sweep/strategy"], caps)], object)


def bucketed_cases(results, values):
    """Returns the indices of the bucketed cases of ddproxy (not of PyTorch) that have a finite value in `values`, which has one value for each case."""
    return np.flatnonzero((results["/sweep/strategy"] == "bucketed") & (results["/sweep/source"] != "pytorch") & np.isfinite(values))


def best_case(results, values):
    """Returns the index of the bucketed case of ddproxy with the smallest of `values`, or None if there is none."""
    ours = bucketed_cases(results, values)
    return int(ours[np.argmin(values[ours])]) if ours.size else None


def same_buckets(results, case):
    """Returns the indices of the measured bucketed cases of ddproxy that have the same buckets as `case`,
    including `case` itself."""
    if not results.has("/plans/first", "/plans/count", "/plans/bytes"):
        return [case]
    first, count, sizes = (results[f"/plans/{name}"] for name in ("first", "count", "bytes"))

    def buckets(k):
        return sizes[first[k]:first[k] + count[k]].tolist()
    ours = bucketed_cases(results, column(results, "measured_median"))
    return [k for k in ours if k == case or (count[case] > 0 and buckets(k) == buckets(case))] if case in ours else [case]


def best_constant(exposed, totals):
    """Returns the constant that fits the measured E of some cases best, as in the row `constant` of the score. It is the median of E, where
    each case has the weight 1 / max(E, 0.5 % of T). `exposed` and `totals` are E and T of these cases, [case]; the result has their unit. Returns
    NaN if no case has an E."""
    known = np.flatnonzero(np.isfinite(exposed))
    if not known.size:
        return np.nan
    order = known[np.argsort(exposed[known], kind="stable")]
    weight = 1.0 / np.fmax(np.fmax(exposed[order], 0.005 * totals[order]), 1e-9)
    return float(exposed[order][np.searchsorted(np.cumsum(weight), 0.5 * weight.sum())])


def cap_nearest_to_default(results):
    """Returns the measured cap, in MiB, whose ratio to 25 MiB is nearest to 1. Returns None if no bucketed case of ddproxy was measured."""
    ours = (results["/sweep/strategy"] == "bucketed") & (results["/sweep/source"] != "pytorch") & np.isfinite(column(results, "exposed"))
    caps = results["/sweep/bucket_bytes"][ours] / MIB
    return float(caps[np.argmin(np.abs(np.log(caps / PYTORCH_DEFAULT_MIB)))]) if caps.size else None


def states_note(results):
    """Returns a text about the states of the machine during a run. Returns an empty text if there was one state."""
    if not results.has("/states/round_trip") or len(results["/states/round_trip"]) < 2:
        return ""
    named = results.has("/states/name")
    names = [str(name) for name in results["/states/name"]] if named else [f"{seconds * 1e9:.0f} ns" for seconds in results["/states/round_trip"]]
    told_by = results.attribute("/states", "told_by") or "a round trip between cores"
    text = f"The speed of the machine changed between {len(names)} states. ddproxy tells them apart by {told_by}: {', '.join(names)}."
    if results.has("/states/dropped", "/states/samples"):
        counts = ", ".join(f"{count:.0f} in the state {name}" for count, name in zip(results["/states/samples"], names))
        text += f" Samples of the sweep: {counts}, and {float(results['/states/dropped']):.0f} were dropped, because the state changed during them."
    scored = float(results["/states/scored"]) if results.has("/states/scored") else np.nan
    if not scored >= 0:
        return f"Tables and figures are uncertain, because they mix the samples of all states of the machine. {text}"
    return f"{text} Tables and figures use only the samples of the state {names[int(scored)]}. They describe only this state."


def plateau(results):
    """Returns the range of best caps as (low, high) in MiB, or None. If the file has the 95 % interval of the predicted best cap, returns it.
    Otherwise returns the range of the measured caps whose T differs from the best T by no more than the noise."""
    if results.has("/score/b_star_low", "/score/b_star_high"):
        low, high = float(results["/score/b_star_low"]) / MIB, float(results["/score/b_star_high"]) / MIB
        return (low, high if high > 0 else np.inf) if low > 0 else None  # high is -1 without an upper end; low is -1 without an interval
    values, low, high = (column(results, n) for n in ("measured_median", "ci_low", "ci_high"))
    best = best_case(results, values)
    if best is None or not (np.isfinite(low[best]) and np.isfinite(high[best])):
        return None
    ours = results["/sweep/source"] != "pytorch"
    alike = (results["/sweep/strategy"] == "bucketed") & ours & (low <= high[best])
    caps = results["/sweep/bucket_bytes"][alike] / MIB
    return float(caps.min()), float(caps.max())
