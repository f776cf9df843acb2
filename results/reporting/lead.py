# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the first lines of the page: how much faster the best bucket size is than 25 MiB, and a summary in a few sentences."""
import numpy as np

from . import derive, intervals, step_figure

COMMON = "25 MiB, PyTorch's default"


def cap_text(results, case):
    return f"{results['/sweep/bucket_bytes'][case] / 2**20:g} MiB"


def _time(seconds):
    return f"{seconds:.3f} s" if abs(seconds) >= 1.0 else f"{seconds * 1e3:.2f} ms"


def _common_case(results, totals):
    """Returns the index of the bucketed case of ddproxy (not of PyTorch) with a cap of 25 MiB, or None if this case was not measured."""
    is_common = results["/sweep/bucket_bytes"] == derive.PYTORCH_DEFAULT_MIB * 2**20
    return derive.best_case(results, np.where(is_common, totals, np.nan))


def _within_noise(results, best, other):
    """Returns whether `other` may be as fast as `best`. Cases with the same buckets differ by noise only: if one of them may be as fast, all of them may.
    Returns None if a case has no interval, because it has a single sample."""
    answer = _includes_best(results, best, other)
    return answer if answer is None else any(k == best or _includes_best(results, best, k) for k in derive.same_buckets(results, other))


def _includes_best(results, best, other):
    """Returns whether the measured T of `other` may be as small as that of `best`. This holds if the 95 %
    interval of the ratio T(other) / T(best) within a round has its lower end at or below 1. If the file has
    no such ratio, returns whether the intervals of T overlap. Returns None if a case has no interval, because
    it has a single sample."""
    if results.has("/sweep/over_best_low"):
        lowest = results["/sweep/over_best_low"][other]
        if np.isfinite(lowest):
            return bool(lowest <= 1.0)
    low, high = derive.column(results, "ci_low"), derive.column(results, "ci_high")
    return bool(high[best] >= low[other]) if np.isfinite(high[best] - low[other]) else None


def _smallest_seen(results, totals, best, other):
    """Returns the smallest difference T(other) - T(best) that would be beyond the noise, as a share of T(best). It follows from the same interval as the result
    of _within_noise()."""
    if results.has("/sweep/over_best", "/sweep/over_best_low"):
        seen = results["/sweep/over_best"][other] - results["/sweep/over_best_low"][other]
        if np.isfinite(seen):
            return float(seen)
    low, high = derive.column(results, "ci_low"), derive.column(results, "ci_high")
    return float((high[best] - totals[best] + totals[other] - low[other]) / totals[best])


def _all_within_noise(results, totals, best):
    """Returns whether several bucket sizes were measured, and even the worst of them is within the noise of the best one."""
    worst = derive.best_case(results, -totals)
    return worst != best and _within_noise(results, best, worst) is True


def gain(results):
    """Says how much faster the best bucket size is than 25 MiB, or that no bucket size is faster beyond the noise. Returns an empty text if no bucketed case was
    measured."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        return ""
    totals = derive.column(results, "measured_median")
    best = derive.best_case(results, totals)
    if best is None:
        return ""
    common = _common_case(results, totals)
    if _all_within_noise(results, totals, best):
        without = f", so {COMMON}, is good enough. " if common is not None else f". {COMMON}, was not run. "
        seen = _smallest_seen(results, totals, best, derive.best_case(results, -totals))
        return (f"No bucket size is faster than the others beyond the noise{without}{cap_text(results, best)} has the smallest T, but in this run "
                f"{_seen_text(seen)} would be beyond the noise.")
    if common is None:
        return f"Best bucket size: {_best_sizes(results, totals, best)}. {COMMON}, was not run, so the gain over it is not known."
    if common == best:
        return f"Best bucket size: {COMMON}. No other bucket size that was run has a smaller T{_as_fast(results, totals, best)}."
    saved, noise = totals[common] - totals[best], _within_noise(results, best, common)
    text = f"Best bucket size: {_best_sizes(results, totals, best)}. {COMMON}, takes {_time(saved)} ({derive.percent(saved / totals[best])}) longer than {cap_text(results, best)}"
    if noise is None:
        return f"{text}; with a single sample, it is not known whether the difference is noise."
    return f"{text}; the difference is within the noise." if noise else f"{text}."


def finding(results):
    """Returns the title of the plot of T over the bucket size. Returns an empty text if fewer than two bucket sizes were measured."""
    totals = derive.column(results, "measured_median")
    best, worst = derive.best_case(results, totals), derive.best_case(results, -totals)
    if best is None or best == worst:
        return ""
    noise = _within_noise(results, best, worst)
    if noise is None:
        return f"Best bucket size: {cap_text(results, best)}; one sample per case, so the noise is not known"
    if noise:
        return f"No bucket size is faster beyond the noise\n({_seen_text(_smallest_seen(results, totals, best, worst))} can be seen)"
    gained = f"the worst size, {cap_text(results, worst)}, takes {derive.percent((totals[worst] - totals[best]) / totals[best])} longer"
    sizes = _best_sizes(results, totals, best)
    return f"Best bucket size: {sizes};{chr(10) if '(' in sizes else ' '}{gained}"


def _seen_text(seen):
    """Names the differences of T that are beyond the noise. `seen` is the smallest one, as a share of the best T."""
    return f"only differences above {derive.percent(seen)}" if seen < 1.0 else f"only a T above {1.0 + seen:.1f} times the best T"


def _as_fast_as(results, totals, best):
    """Returns (cases, can_be_listed). The cases are `best` and those that are as fast within the noise, in the order of their bucket sizes. They can be
    listed if they are at most three, without a slower size between them. A list with holes would look like a mistake."""
    order = sorted(derive.bucketed_cases(results, totals), key=lambda k: results["/sweep/bucket_bytes"][k])
    places = [place for place, k in enumerate(order) if k == best or _within_noise(results, best, k)]
    return [order[place] for place in places], len(places) <= 3 and places[-1] - places[0] < len(places)


def _best_sizes(results, totals, best):
    """Returns the best bucket size and those that are as fast within the noise."""
    alike, can_be_listed = _as_fast_as(results, totals, best)
    if len(alike) == 1:
        return cap_text(results, best)
    if not can_be_listed:
        return f"{cap_text(results, best)} ({_other_sizes(len(alike) - 1)} as fast, within the noise)"
    sizes = [cap_text(results, k) for k in alike]
    return f"{', '.join(sizes[:-1])} or {sizes[-1]} (no difference beyond the noise)"


def _other_sizes(count):
    return f"{count} other size{'s are' if count > 1 else ' is'}"


def _as_fast(results, totals, best):
    """Returns the end of a sentence that names the bucket sizes that are as fast as `best` within the noise. Returns an empty text if there are none."""
    alike, can_be_listed = _as_fast_as(results, totals, best)
    sizes = [cap_text(results, k) for k in alike if k != best]
    if not sizes:
        return ""
    return f"; {' and '.join(sizes) + (' are' if len(sizes) > 1 else ' is') if can_be_listed else _other_sizes(len(sizes))} as fast within the noise"


def answer(results):
    """Returns a summary of the file in a few sentences: T and E at the best bucket size, the best bucket size by the model, and how much longer T is in
    other cases. For a file of whole steps, returns step_figure.answer()."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        if step_figure.has_steps(results):
            return step_figure.answer(results)
        return "This file holds no sweep, so it says nothing about bucket sizes. The figures below show what it holds."
    totals, predicted = derive.column(results, "measured_median"), derive.column(results, "predicted")
    best, foreseen, names = derive.best_case(results, totals), derive.best_case(results, predicted), derive.case_names(results)
    if best is None:
        return "No bucketed case was measured, so there is no best bucket size."
    exposed = derive.column(results, "exposed")[best]
    text = [f"With {cap_text(results, best)}, backward pass and all-reduces take T = {_time(totals[best])}, {_statistic(results, best)}. Of this, "
            f"E = {_time(exposed)} is exposed communication."]
    if foreseen is not None:
        text.append(f"The model predicts {_foreseen(results, predicted, foreseen)} as the best of the bucket sizes that were run.")
    text.append(_worst(results, totals, best))
    text.append(_others(results, totals, best, names))
    return " ".join(part for part in text if part)


def _foreseen(results, predicted, best):
    """Returns the bucket size that the model predicts as the best. If others have the same predicted T, for instance because they make the same
    buckets, returns all of them."""
    bucketed = (results["/sweep/strategy"] == "bucketed") & (results["/sweep/source"] != "pytorch")
    alike = [cap_text(results, k) for k in np.flatnonzero(bucketed & (predicted <= predicted[best] * (1.0 + 1e-9)))]
    return alike[0] if len(alike) == 1 else f"{', '.join(alike[:-1])} and {alike[-1]} (equal predicted T)" if alike else cap_text(results, best)


def _statistic(results, case):
    """Says that T is a median, of how many samples, and which interval it has."""
    low, high = derive.column(results, "ci_low")[case], derive.column(results, "ci_high")[case]
    return intervals.sentence(intervals.counts(results)[case], intervals.kinds(results)[case], _time(low), _time(high))


def _others(results, totals, best, names):
    common = results["/sweep/bucket_bytes"] == derive.PYTORCH_DEFAULT_MIB * 2**20
    others = [f"{names[k]} {derive.percent(round(totals[k] / totals[best] - 1.0, 3) + 0.0, sign='+')}" for k in range(len(names))
              if (results["/sweep/strategy"][k] != "bucketed" or common[k]) and k != best and np.isfinite(totals[k])]
    return f"T compared with the best bucket size: {', '.join(others)}." if others else ""


def _worst(results, totals, best):
    """Says how much slower the worst bucket size of the run is than the best."""
    worst = derive.best_case(results, -totals)
    noise = _within_noise(results, best, worst)
    if worst == best or noise is None:
        return ""
    gained = totals[worst] - totals[best]
    return (f"The worst bucket size that was run, {cap_text(results, worst)}, takes {_time(gained)} ({derive.percent(gained / totals[best])}) longer"
            f"{' (within the noise)' if noise else ''}.")
