# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds values that cannot be right, and negative overlaps, which are possible but unexpected. Names them, and says what the cause may be."""
import numpy as np

from . import costs_figure, derive

ROUNDING = 0.005  # tolerance for an overlap, and for E relative to T
WITHOUT_OVERLAP = ("naive", "flat")
MOST_NAMED = 4


def _listed(names):
    """Lists at most four names, and says how many more there are."""
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


def _named(names, values, form, unit=""):
    """Lists at most four cases with their values."""
    return _listed([f"{name} ({value:{form}}{unit})" for name, value in zip(names, values)])


def _overlaps(results):
    overlap, names = derive.column(results, "overlap"), derive.case_names(results)
    overlapped = ~np.isin(results["/sweep/strategy"], WITHOUT_OVERLAP)
    above, below = overlap > 1.0 + ROUNDING, overlapped & (overlap < -ROUNDING)
    if above.any():
        yield (f"An overlap above 1 was measured, which is impossible: {_named(names[above], overlap[above], '.3f')}. At most the shorter of "
               "the two times, compute and communication, can be hidden. Probably the machine was faster during the sweep than while T_compute or the "
               "all-reduce table was measured. Measure again on a quiet machine.")
    if below.any():
        yield (f"The overlap of {_named(names[below], overlap[below], '.3f')} is negative: compute and communication at the same time took longer than one after the "
               "other. Probably they share cores or memory bandwidth, or the machine was slower during the sweep. Leave a core of each rank free for "
               "communication, and measure on a quiet machine.")


def _exposed(results):
    exposed, totals, names = (derive.column(results, "exposed"), derive.column(results, "measured_median"), derive.case_names(results))
    high = derive.column(results, "exposed_high")
    negative = exposed < -ROUNDING * totals
    if not negative.any():
        return
    yield (f"A negative E was measured, which is impossible: {_named(names[negative], exposed[negative] * 1e3, '.3g', ' ms')}. A pass with communication cannot be faster "
           f"than the same pass without communication. {_cause(names, negative, high)}")


def _cause(names, negative, high):
    """Says which of the negative E are more than noise. `high` has the upper ends of their intervals; a case with a single sample has none (NaN)."""
    clear, several = negative & (high < 0.0), negative.sum() > 1
    if clear.any():
        all_clear = "Their intervals do not include 0" if several else "Its interval does not include 0"
        where = all_clear if (clear == negative).all() else f"The interval of E does not include 0 in {_listed(names[clear])}"
        return f"{where}: T_compute was measured while the machine was slower. Measure again."
    if (high[negative] >= 0.0).all():
        return f"{'Their intervals include' if several else 'Its interval includes'} 0, so this is noise."
    return "A case with a single sample has no interval. Measure again with more samples, to see whether this is noise."


def _slowdown(results):
    slowdown, totals, names = (derive.column(results, "slowdown"), derive.column(results, "measured_median"), derive.case_names(results))
    below = slowdown < -ROUNDING * totals
    if below.any():
        yield (f"These measured slowdowns are below 0, although a backward pass cannot be faster with communication than without: "
               f"{_named(names[below], slowdown[below] * 1e3, '.3g', ' ms')}. This is noise, or the machine was slower while T_compute was measured.")


def tails_above_exposed(results):
    """Returns [case], true where the median tail is larger than the median E, although in every sample the
    tail is a part of E. It is false for cases with a negative E, which _exposed() reports."""
    tails, exposed, totals = (derive.column(results, name) for name in ("tail", "exposed", "measured_median"))
    return (tails > exposed + ROUNDING * totals) & (exposed >= -ROUNDING * totals)


def _tails(results):
    tails, exposed, names = (derive.column(results, "tail"), derive.column(results, "exposed"), derive.case_names(results))
    above = tails_above_exposed(results)
    if above.any():
        values = [f"{name} (tail {tail * 1e3:.3g} ms, E {whole * 1e3:.3g} ms)" for name, tail, whole in zip(names[above], tails[above], exposed[above])]
        yield (f"The median tail is larger than the median E, although the tail is a part of E: {_listed(values)}. In some samples T_compute was longer than the backward pass "
               "with communication, so the slowdown was below 0. T_compute comes from another pass, and the machine was slower in that pass. Do not subtract one "
               "median from the other. Measure again on a quiet machine.")


def _below_bound(results):
    floor = float(results["/sweep/floor"]) if results.has("/sweep/floor") else np.nan
    exposed, high, names = (derive.column(results, "exposed"), derive.column(results, "exposed_high"), derive.case_names(results))
    totals = derive.column(results, "measured_median")
    below = (np.fmax(exposed, high) < floor - ROUNDING * totals) & (exposed >= -ROUNDING * totals)
    if below.any():
        yield (f"An E is below its lower bound of {floor * 1e3:.3g} ms: {_named(names[below], exposed[below] * 1e3, '.3g', ' ms')}. The bound follows from the "
               "all-reduce table, so the all-reduces of the sweep were faster than those of the table. Measure again on a quiet machine.")


def _efficiency(results):
    found = costs_figure.costs(results)
    count = found.above_roof() if found is not None else 0
    if count:
        yield (f"An efficiency is above 1: {count} of {found.seconds.size} operations were faster than the roofline of the input allows. The peaks or the "
               "efficiency in [machine] of the input are too low, or the operands fit into a cache.")


def _speeds(results):
    for name, what, other in (("kappa", "compute", "an all-reduce"), ("gamma", "an all-reduce", "compute")):
        values = results.values.get(f"/calibration/{name}")
        if values is None or values.dtype.kind not in "fi" or not (values > 1.02).any():
            continue
        yield (f"{name}, the relative speed of {what} while {other} runs, is above 1 ({np.nanmax(values):.3f}): {what} was faster beside {other} than alone. Only "
               "noise can cause that, so the machine changed while the two were measured. Measure again on a quiet machine.")


def _steps(results):
    """Says how many steps have a negative exposed communication. E of a step is its time minus the compute time that
    was measured without communication."""
    parts = list(results["/step/part"])
    exposed, totals = (results["/step/measured"][parts.index(part)] for part in ("exposed", "step"))
    negative = exposed < -ROUNDING * totals
    if negative.any():
        yield (f"The exposed communication E of {negative.sum()} of {np.isfinite(totals).sum()} steps is below 0, which is impossible: the smallest is "
               f"{np.nanmin(exposed) * 1e3:.3g} ms. A step with communication cannot be faster than the same compute without communication. The machine was slower while "
               "compute was measured alone, so E of this file is not reliable. Measure again on a quiet machine.")


def impossible(results):
    """Returns a list of texts, one for each kind of impossible or unexpected value."""
    found = [*_efficiency(results), *_speeds(results)]
    if results.has("/sweep/strategy", "/sweep/measured"):
        found = [*_overlaps(results), *_exposed(results), *_slowdown(results), *_tails(results), *_below_bound(results), *found]
    elif results.has("/step/part", "/step/measured") and {"exposed", "step"} <= set(results["/step/part"]):
        found = [*_steps(results), *found]
    return found
