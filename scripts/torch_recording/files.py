# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes files completely or not at all. HDF5 files are built in memory, because HDF5 would leave half a file on a full disk."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "results"))
from reporting.output import DiskError, OF_THE_DISK, write_text, write_whole  # noqa: E402, F401


def write_csv(path, header, rows):
    """Writes a table. `rows`: lists of texts, integers and reals."""
    lines = (",".join(f"{value:.9g}" if isinstance(value, float) else str(value) for value in row) for row in rows)
    write_text(path, "\n".join([header, *lines]) + "\n")


def write_hdf5(path, file):
    """Writes and closes `file`: an h5py.File with driver="core" and backing_store=False."""
    file.flush()
    image = file.id.get_file_image()
    file.close()
    write_whole(path, lambda out: out.write(image))
