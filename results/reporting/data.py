# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps a results file (docs/results.md) in memory."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .checks import find_fault
from .errors import ReportError
from .reading import read_in_child

SCHEMA_VERSION = 1
# Names of datasets in files of earlier versions, and the present ones. Results has the present names only.
EARLIER_NAMES = {"/allreduce/chunk_bytes": "/allreduce/piece_bytes", "/allreduce/chunk_seconds": "/allreduce/piece_seconds",
                 "/score/order": "/score/pairs_in_order"}
MIB = 2.0**20

# The datasets that a finished file of each command must have.
BASE = ("/provenance/command_line", "/model/name", "/model/layer", "/model/numel")
SWEEP = (*(f"/sweep/{n}" for n in ("name", "strategy", "source", "bucket_bytes", "buckets", "order", "measured", "compute",
                                   "measured_median", "ci_low", "ci_high", "exposed")),
         *(f"/plans/{n}" for n in ("first", "count", "last_gradient", "bytes")))
LAYERS = tuple(f"/layers/{n}" for n in ("operation", "operation_layer", "seconds", "ready"))
ALLREDUCE = tuple(f"/allreduce/{n}" for n in ("bytes", "seconds", "median"))
TIMELINE = tuple(f"/timeline/{n}" for n in ("first", "count", "start", "end", "resource", "label"))
PREDICTED = ("/sweep/predicted", "/sweep/predicted_exposed")
STEP = tuple(f"/step/{n}" for n in ("part", "measured", "median", "ci_low", "ci_high", "mean", "deviation", "predicted", "first", "alone"))
REQUIRED = {"run": (*SWEEP, *LAYERS, *ALLREDUCE, *TIMELINE, *PREDICTED), "sweep": SWEEP, "layers": LAYERS, "step": STEP}


class Results:
    """Holds all data of a results file in memory. The file itself is closed. Raises ReportError with one line if the file is no valid results file, or if its
    run was finished and a dataset is missing. The file of an unfinished run is accepted; `complete` is then false. results["/sweep/measured"] is a dataset;
    docs/results.md lists all datasets with their dimensions.

    values: dataset by path. attributes: text or number by (group, name). units: unit of a dataset by path, for instance "s"."""

    path: Path
    values: dict[str, np.ndarray]
    attributes: dict[tuple[str, str], Any]
    units: dict[str, str]

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise ReportError(f"{path}: {'is a folder; give a results file' if self.path.is_dir() else _absent(self.path)}")
        self.values, self.attributes, self.units = read_in_child(self.path)
        for earlier, name in EARLIER_NAMES.items():
            if earlier in self.values:
                self.values[name], self.units[name] = self.values.pop(earlier), self.units.pop(earlier)
        self._check()

    def _check(self) -> None:
        version = self.attributes.get(("/", "schema_version"))
        if version is None:
            raise ReportError(f"{self.path}: is not a results file of ddproxy: it has no attribute schema_version")
        if version != SCHEMA_VERSION:
            raise ReportError(f"{self.path}: has schema version {version}, but this program reads version {SCHEMA_VERSION}; read the file with results/report.py (installed: ddproxy-report) of the version of ddproxy that wrote it")
        if self.complete:
            self._check_nothing_is_lost()
        if fault := find_fault(self.values):
            raise ReportError(f"{self.path}: {fault}")

    def _check_nothing_is_lost(self) -> None:
        command = self.attribute("/", "command", "")
        parts = (BASE, REQUIRED.get(command, ()), *(p for p in (ALLREDUCE, TIMELINE) if any(path in self.values for path in p)))
        for path in (path for part in parts for path in part):
            if path not in self.values:
                raise ReportError(f"{self.path}: has lost the dataset {path}, which a finished '{command}' writes; copy the file again, or measure again")
        if command == "run" and ("/fom", "valid") not in self.attributes:
            raise ReportError(f"{self.path}: has lost the attributes of /fom, which a finished 'run' writes; copy the file again, or measure again")

    def has(self, *paths: str) -> bool:
        """Returns whether the file has all these datasets."""
        return all(path in self.values for path in paths)

    def __getitem__(self, path: str) -> np.ndarray:
        """Returns a dataset. Raises ReportError if the file does not have it."""
        if path not in self.values:
            raise ReportError(f"{self.path}: has no dataset {path}; the run was interrupted, or its command does not write it")
        return self.values[path]

    def attribute(self, group: str, name: str, otherwise: Any = None) -> Any:
        """Returns the attribute `name` of a group, or `otherwise` if the file does not have it."""
        return self.attributes.get((group, name), otherwise)

    @property
    def complete(self) -> bool:
        """Says whether the run that wrote the file came to its end."""
        return bool(self.attribute("/", "complete", 0) == 1)

    def modes(self) -> list[str | None]:
        """Returns the mode of compute and that of the all-reduces, for instance ["kernels", "mpi"]. A mode that the file does not have is None."""
        return [self.attribute("/sweep", name, self.attribute("/step", name)) for name in ("compute_mode", "backend")]

    def title(self) -> str:
        """Returns the model, the ranks and the mode in one line."""
        modes = self.modes()
        model = self.attribute("/model", "preset", "a model")
        model = "model without a preset" if model == "free" else model
        parts = (model, self._ranks(), _mode(modes))
        return ", ".join(str(part) for part in parts if part)

    def _ranks(self) -> str:
        """Returns the number of all ranks in words, or "" if the file does not have it. `ddproxy collectives` measures several groups of ranks at the same
        time; these are the ranks of all groups."""
        ranks = self.attribute("/sweep", "ranks", self.attribute("/step", "ranks", self.attribute("/allreduce", "ranks")))
        if ranks is None and self.has("/collectives/ranks"):
            groups = int(self["/collectives/groups"][0]) if self.has("/collectives/groups") else 1
            ranks = int(self["/collectives/ranks"][0]) * groups
        if ranks is None and self.has("/layers/rank"):
            ranks = len(self["/layers/rank"])
        return "" if ranks is None else f"{ranks} rank{'' if ranks == 1 else 's'}"


def _absent(path: Path) -> str:
    """Returns words about a file that does not exist, and names FILE.part of an unfinished run if there is one."""
    part = path.with_name(path.name + ".part")
    if not part.is_file():
        return "there is no such file"
    return f"there is no such file, but {part} exists: the run was interrupted, or it still goes on. To use what it has measured so far, give {part}"


def _mode(modes: list[str | None]) -> str:
    if set(modes) == {"replay"}:
        return "simulated (replay)"
    return ", ".join(f"{what}: {mode}" for what, mode in zip(("compute", "all-reduce"), modes) if mode)
