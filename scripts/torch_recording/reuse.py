# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Implements --reuse: reads gradients.csv of an earlier recording instead of measuring it again. The recording must be of the same model, with
the same number of ranks."""
import csv

import torch.distributed as dist

from . import gradients, ranks


def read(path, columns):
    """Returns the rows of a table that record-torch.py wrote, as tuples. `columns`: name -> type of each column to return. Raises UsageError if the
    table cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return [tuple(kind(row[name]) for name, kind in columns.items()) for row in csv.DictReader(file)]
    except OSError as error:
        raise ranks.UsageError(f"--reuse: {path}: {error.strerror}; record without --reuse first") from error
    except (KeyError, TypeError, ValueError) as error:
        raise ranks.UsageError(f"--reuse: {path}: is not a table of record-torch.py ({' '.join(str(error).split())}); record again without --reuse") from error


def check_model(path, recorded, ours):
    """Checks that the recorded model and this model have the same gradients. `recorded`, `ours`: number of elements by name."""
    for name in [*ours, *recorded]:
        here, there = ours.get(name, 0), recorded.get(name, 0)
        if here != there:
            raise ranks.UsageError(f"--reuse: {path} belongs to another model: {name} has {there} elements there, and {here} in this model; "
                                   "record again without --reuse, or give another -o")


def check_ranks(path):
    there, here = {row[0] for row in read(path, {"ranks": int})}, dist.get_world_size()
    if there != {here}:
        counts = " and ".join(map(str, sorted(there))) or "no"
        raise ranks.UsageError(f"--reuse: {path} was recorded on {counts} ranks, but this run has {here}; start the same number of ranks, or record again without --reuse")


def read_checked(folder, model):
    rows = read(folder / "gradients.csv", {"name": str, "numel": int, "seconds": float})
    check_model(folder / "gradients.csv", {name: numel for name, numel, _ in rows if numel > 0}, gradients.elements(model))
    check_ranks(folder / "allreduce.csv")
    return rows


def gradients_of(folder, model):
    """Returns the rows of gradients.csv on the first rank, and an empty list elsewhere. The first rank reads and checks them; all ranks raise
    its errors."""
    rows, problem = [], ""
    if ranks.is_first():
        try:
            rows = read_checked(folder, model)
        except ranks.UsageError as error:
            problem = str(error)
    for text in ranks.gather(problem):
        if text:
            raise ranks.UsageError(text)
    return rows
