# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes files completely or not at all. HDF5 files are built in memory, because HDF5 would leave half a file on a full disk."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

if __package__ == "torch_recording":  # in the project and in an installed prefix, where results/reporting lies beside scripts
    sys.path.append(str(Path(__file__).resolve().parents[2] / "results"))
    from reporting.output import OF_THE_DISK, DiskError, write_text, write_whole
else:  # in the Python package
    from ..output import OF_THE_DISK, DiskError, write_text, write_whole

__all__ = ["OF_THE_DISK", "DiskError", "write_csv", "write_hdf5", "write_text", "write_whole"]


def write_csv(path: Path, header: str, rows: Iterable[Sequence[str | int | float]]) -> None:
    """Writes a table. `rows`: lists of texts, integers and reals."""
    lines = (",".join(f"{value:.9g}" if isinstance(value, float) else str(value) for value in row) for row in rows)
    write_text(path, "\n".join([header, *lines]) + "\n")


def write_hdf5(path: Path, file: h5py.File) -> None:
    """Writes and closes `file`: an h5py.File with driver="core" and backing_store=False."""
    file.flush()
    image = file.id.get_file_image()
    file.close()
    write_whole(path, lambda out: out.write(image))
