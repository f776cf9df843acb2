# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The first lines of the page: what the best bucket size gains, and the answer in a few sentences."""
import numpy as np

from . import derive

COMMON = "25 MiB, PyTorch's default"


def _cap(results, case):
    return f"{results['/sweep/bucket_bytes'][case] / 2**20:g} MiB"


def _time(seconds):
    return f"{seconds:.3f} s" if abs(seconds) >= 1.0 else f"{seconds * 1e3:.2f} ms"


def _common_case(results, totals):
    """Index of our own case with 25 MiB, None where it was not measured."""
    is_common = results["/sweep/bucket_bytes"] == derive.PYTORCH_DEFAULT_MIB * 2**20
    return derive.best_case(results, np.where(is_common, totals, np.nan))


def _within_noise(results, best, other):
    """Whether the intervals overlap; None where one sample a case does not tell."""
    low, high = derive.column(results, "ci_low"), derive.column(results, "ci_high")
    return bool(high[best] >= low[other]) if np.isfinite(high[best] - low[other]) else None


def gain(results):
    """What the best bucket size gains over 25 MiB; empty where no bucketed case was measured."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        return ""
    totals = derive.column(results, "measured_median")
    best = derive.best_case(results, totals)
    if best is None:
        return ""
    common = _common_case(results, totals)
    if common is None:
        return f"Best bucket size: {_cap(results, best)}. {COMMON}, was not run, so the gain over it is not known."
    if common == best:
        return f"Best bucket size: {COMMON}. No other bucket size that was run is faster."
    saved, noise = totals[common] - totals[best], _within_noise(results, best, common)
    text = f"Best bucket size: {_cap(results, best)}. It is {_time(saved)} ({saved / totals[common]:.1%}) faster than {COMMON}"
    if noise is None:
        return f"{text}; a single sample does not tell whether that is noise."
    return f"{text}; that is within the noise." if noise else f"{text}."


def finding(results):
    """A title for T over the bucket size; empty where fewer than two bucket sizes were measured."""
    totals = derive.column(results, "measured_median")
    best, worst = derive.best_case(results, totals), derive.best_case(results, -totals)
    if best is None or best == worst:
        return ""
    noise = _within_noise(results, best, worst)
    if noise is None:
        return f"Best bucket: {_cap(results, best)}; one sample a case, so the noise is not known"
    if noise:
        return "No bucket size differs beyond the noise"
    return f"Best bucket: {_cap(results, best)}; {(totals[worst] - totals[best]) / totals[worst]:.1%} faster than the worst, {_cap(results, worst)}"


def answer(results):
    """The answer in a few sentences."""
    if not results.has("/sweep/strategy", "/sweep/measured"):
        return "This file holds no sweep."
    totals, predicted = derive.column(results, "measured_median"), derive.column(results, "predicted")
    best, foreseen, names = derive.best_case(results, totals), derive.best_case(results, predicted), derive.case_names(results)
    if best is None:
        return "No bucketed case was measured."
    exposed = derive.column(results, "exposed")[best]
    text = [f"With {_cap(results, best)}, backward pass and all-reduce take {_time(totals[best])}, of which {_time(exposed)} are exposed "
            "communication."]
    if foreseen is not None:
        text.append(f"The model predicts {_cap(results, foreseen)} as the best of the bucket sizes that were run.")
    text.append(_worst(results, totals, best))
    text.append(_others(results, totals, best, names))
    return " ".join(part for part in text if part)


def _others(results, totals, best, names):
    common = results["/sweep/bucket_bytes"] == derive.PYTORCH_DEFAULT_MIB * 2**20
    others = [f"{names[k]} {round(totals[k] / totals[best] - 1.0, 3) + 0.0:+.1%}" for k in range(len(names))
              if (results["/sweep/strategy"][k] != "bucketed" or common[k]) and k != best and np.isfinite(totals[k])]
    return f"T relative to the best bucket size: {', '.join(others)}." if others else ""


def _worst(results, totals, best):
    """What lies between the best and the worst bucket size that was run."""
    worst = derive.best_case(results, -totals)
    noise = _within_noise(results, best, worst)
    if worst == best or noise is None:
        return ""
    gained = totals[worst] - totals[best]
    return (f"The worst bucket size that was run, {_cap(results, worst)}, takes {_time(gained)} ({gained / totals[best]:.1%}) longer"
            f"{' (within the noise)' if noise else ''}.")
