# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads all datasets and attributes of an HDF5 file with h5py, in a child process. The reason: a damaged file can make the HDF5
library crash or run forever."""
from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .errors import ReportError

SECONDS = 120.0  # time limit for one file; 100 MiB take about a second
MOST_BYTES = 2**31  # limit for one dataset in memory
ADDRESS_SPACE = 2**35
Contents = tuple[dict[str, np.ndarray], dict[tuple[str, str], Any], dict[str, str]]  # what read() returns
REMEDY = "copy the file again from where it was written, or measure again"


CONTROLS = {code: f"\\x{code:02X}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\r\t"}  # unsafe for terminals and fonts


def text(value: object) -> str:
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).translate(CONTROLS)


def _attributes(group: str, item: h5py.HLObject) -> dict[tuple[str, str], Any]:
    return {(group, key): value if isinstance(value, (int, float, np.number)) else text(value) for key, value in item.attrs.items()}


def _values(path: str, dataset: h5py.Dataset) -> np.ndarray:
    size = dataset.size or 0
    if size * dataset.dtype.itemsize > MOST_BYTES:
        raise ReportError(f"{path} says it has {size} values, which is more than a results file holds; {REMEDY}")
    value = np.asarray(dataset[()])
    if h5py.check_string_dtype(dataset.dtype):
        return np.array([text(v) for v in np.atleast_1d(value)], dtype=object)
    if np.issubdtype(dataset.dtype, np.integer) and "_FillValue" in dataset.attrs:
        return np.where(value == dataset.attrs["_FillValue"], np.nan, value)
    return value


def _items(path: str, group: h5py.Group) -> Iterator[tuple[str, Any]]:
    """Yields (path, group or dataset) for the links in a group."""
    for name in group:
        item = group.get(name)
        if item is None:
            raise ReportError(f"{path}{name} cannot be opened: the link leads nowhere, or the file is damaged; {REMEDY}")
        yield f"{path}{name}", item


def read(path: Path) -> Contents:
    """Returns ({path: values}, {(group, name): attribute}, {path: units}) of the root and of the groups in it."""
    values: dict[str, np.ndarray] = {}
    attributes: dict[tuple[str, str], Any] = {}
    units: dict[str, str] = {}
    with h5py.File(path, "r") as file:
        attributes |= _attributes("/", file)
        for group_path, group in _items("/", file):
            if not isinstance(group, h5py.Group):
                continue
            attributes |= _attributes(group_path, group)
            for item_path, item in _items(group_path + "/", group):
                if isinstance(item, h5py.Dataset):
                    values[item_path] = _values(item_path, item)
                    units[item_path] = text(item.attrs.get("units", ""))
    return values, attributes, units


def _child(path: Path, answer: Any) -> None:
    """Reads the file and sends (result, None) or (None, fault)."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE if most == resource.RLIM_INFINITY else min(ADDRESS_SPACE, most), most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # discards standard error, where the C library reports a corrupted heap
    try:
        answer.send((read(path), None))
    except ReportError as error:
        answer.send((None, str(error)))
    except Exception as error:  # h5py raises exceptions of many types for a damaged file
        reason = " ".join(str(error).split()) or type(error).__name__
        answer.send((None, f"cannot be read as HDF5 ({reason}); give a results file, which ddproxy writes with -o"))


def read_in_child(path: Path, seconds: float | None = None, work: Callable[[Path, Any], None] = _child) -> Contents:
    """Returns the result of read(). Raises ReportError with the file's name if the read fails, crashes or takes too long."""
    seconds = SECONDS if seconds is None else seconds
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=work, args=(path, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise ReportError(f"{path}: reading it took more than {seconds:g} s; the file is probably damaged: {REMEDY}")
        result, fault = ours.recv()
    except EOFError:
        child.join()
        raise ReportError(f"{path}: the HDF5 library crashed while it read the file (exit code {child.exitcode}); the file is "
                          f"damaged: {REMEDY}") from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if fault:
        raise ReportError(f"{path}: {fault}")
    return result
