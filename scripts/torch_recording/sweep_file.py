# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the sweep as a results file (docs/results.md), as a curve and as a table. Needs h5py."""
import datetime
import itertools
import math
import sys

import h5py
import torch
from .median_interval import median_interval

from . import files

MIB = 2**20
TEXT = h5py.string_dtype()


def totals(case):
    return median_interval([max(sample) for sample in case.seconds])


def exposed(case):
    return median_interval([max(t) - max(c) for t, c in zip(case.seconds, case.compute)])


class File:
    """A results file in memory: datasets with named dimensions, units and a fill value. HDF5 needs `path` only as a name."""

    def __init__(self, path):
        self.file = h5py.File(path, "w", driver="core", backing_store=False)

    def put(self, path, dimensions, values, units, long_name, kind="f8"):
        group = self.file.require_group(path.rsplit("/", 1)[0])
        data = group.create_dataset(path.rsplit("/", 1)[1], data=values, dtype=kind)
        data.attrs["units"], data.attrs["long_name"] = units, long_name
        if kind != TEXT:
            data.attrs["_FillValue"] = data.dtype.type(math.nan if kind == "f8" else -1)
        for axis, dimension in enumerate(dimensions):
            data.dims[axis].attach_scale(self.scale(group, dimension, data.shape[axis]))

    def scale(self, group, dimension, length):
        if dimension not in group:
            numbers = group.create_dataset(dimension, data=range(length), dtype="i8")
            numbers.attrs["units"], numbers.attrs["long_name"] = "1", "index of the " + dimension
            numbers.make_scale(dimension)
        return group[dimension]


def write_sweep(file, cases):
    by_case = {
        "name": ([c.name for c in cases], "1", "name of the case, for instance bucketed 25 MiB", TEXT),
        "strategy": ([c.strategy for c in cases], "1", "strategy of the case: bucketed or optimal", TEXT),
        "source": (["pytorch"] * len(cases), "1", "program that ran the case: ddproxy or pytorch", TEXT),
        "compute_source": (["round"] * len(cases), "1", "how T_compute was sampled: once in each round, shared by its cases", TEXT),
        "bucket_bytes": ([int(c.cap_mib * MIB) if c.cap_mib > 0 else -1 for c in cases], "byte", "bucket cap of the case", "i8"),
        "first_bucket_bytes": ([int(c.first_mib * MIB) if c.first_mib > 0 else -1 for c in cases], "byte", "cap of the first bucket of the case", "i8"),
        "buckets": ([len(c.bucket_bytes) for c in cases], "1", "number of buckets of the case", "i8"),
        "verified": ([-1] * len(cases), "1", "1: the reduced gradients were right; 0: they were wrong; -1: they were not checked", "i8"),
    }
    for names, meaning, values in ((("measured_median", "ci_low", "ci_high"), "the median T", map(totals, cases)),
                                   (("exposed", "exposed_low", "exposed_high"), "the median E = T - T_compute", map(exposed, cases))):
        for name, column, part in zip(names, zip(*values), ("", "lower end of the 95 % interval of ", "upper end of the 95 % interval of ")):
            by_case[name] = (list(column), "s", part + meaning, "f8")
    for name, (values, units, long_name, kind) in by_case.items():
        file.put(f"/sweep/{name}", ["case"], values, units, long_name, kind)
    file.put("/sweep/order", ["case", "sample"], [c.order for c in cases], "1", "position in which the sample ran among all samples", "i8")
    for name, attribute, meaning in (("measured", "seconds", "T: from the start of the backward pass until it has ended and every bucket has been reduced"),
                                     ("compute", "compute", "T_compute: time of the backward pass without communication")):
        file.put(f"/sweep/{name}", ["case", "sample", "rank"], [getattr(c, attribute) for c in cases], "s", meaning)


def write_plans(file, cases, gradients):
    """Writes the buckets of each case. Computes which gradient closes a bucket from the bytes of the buckets and of the gradients."""
    ends = list(itertools.accumulate(4 * numel for _, numel, _ in gradients))
    last = [sum(end < closed for end in ends) for c in cases for closed in itertools.accumulate(c.bucket_bytes)]
    sizes = [size for c in cases for size in c.bucket_bytes]
    counts = [len(c.bucket_bytes) for c in cases]
    file.put("/plans/first", ["case"], [0, *itertools.accumulate(counts)][:-1], "1", "index of the case's first bucket", "i8")
    file.put("/plans/count", ["case"], counts, "1", "number of buckets of the case", "i8")
    file.put("/plans/last_gradient", ["bucket"], last, "1", "index of the gradient that makes the bucket ready", "i8")
    file.put("/plans/bytes", ["bucket"], sizes, "byte", "bytes of the gradients in the bucket", "i8")


def write(path, cases, gradients, about):
    """Writes the results file. `gradients`: rows (name, numel, seconds) in ready order, without the row of the pass's end. `about`: model,
    ranks, backend, device."""
    file = File(path)
    root = {"Conventions": "CF-1.10", "schema_version": 1, "complete": 1, "command": "sweep", "ddproxy_version": "record-torch",
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    file.file.attrs.update(root)
    write_sweep(file, cases)
    file.file["/sweep"].attrs.update({"ranks": about["ranks"], "compute_mode": "pytorch", "backend": about["backend"]})
    names = [name for name, _, _ in gradients]
    for name, values, units, meaning, kind in (("name", names, "1", "name of the parameter tensor, in ready order", TEXT),
                                               ("layer", [n.rpartition(".")[0] for n in names], "1", "layer that the gradient belongs to", TEXT),
                                               ("numel", [numel for _, numel, _ in gradients], "1", "number of elements of the gradient", "i8")):
        file.put(f"/model/{name}", ["gradient"], values, units, meaning, kind)
    file.file["/model"].attrs.update({"preset": about["model"], "precision": "fp32"})
    if all(c.bucket_bytes for c in cases):
        write_plans(file, cases, gradients)
    file.put("/provenance/command_line", [], " ".join(sys.argv), "1", "command line of rank 0", TEXT)
    file.file["/provenance"].attrs.update({"compiler": f"torch {torch.__version__}", "device_kind": about["device"]})
    files.write_hdf5(path, file.file)


def write_curve(path, cases, first_is_cap):
    """Writes a table bucket_mib,seconds. It has only cases whose first buckets follow the same rule. If `first_is_cap` is true, the
    first bucket has the cap of the case. Otherwise its cap is that of the default case, 1 MiB."""
    text = f"# DDP's T, median of {len(cases[0].seconds)} samples; first bucket {'= cap' if first_is_cap else '1 MiB'}\nbucket_mib,seconds\n"
    for case in cases:
        if case.strategy == "bucketed" and case.first_mib == (case.cap_mib if first_is_cap else cases[0].first_mib):
            text += f"{case.cap_mib:.10g},{totals(case)[0]:.6g}\n"
    files.write_text(path, text)


def between(low, high, form, unit=""):
    return "unknown" if math.isnan(low) else f"{low:{form}}–{high:{form}}{unit}"


def table(cases):
    """Returns a Markdown table. For each case it has the number of buckets, T with its interval, E, and by how many per cent T is smaller than T of
    the default case. This percentage is computed in each round; the table has its median and its interval."""
    base, lines = cases[0], ["| case | buckets | T s | 95 % | E s | less than the default | 95 % |", "|---|---|---|---|---|---|---|"]
    for case in cases:
        gains = [100 * (1 - max(t) / max(d)) for t, d in zip(case.seconds, base.seconds)]
        middle, low, high = totals(case)
        gain, least, most = median_interval(gains)
        lines.append(f"| {case.name} | {len(case.bucket_bytes)} | {middle:.3f} | {between(low, high, '.3f')} | {exposed(case)[0]:.3f} | "
                     f"{gain:.1f} % | {between(least, most, '.1f', ' %')} |")
    return "\n".join(lines)
