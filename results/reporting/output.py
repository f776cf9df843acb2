# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes files completely or not at all."""
from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class DiskError(Exception):
    """Reports that the disk did not accept a file. The text is one line that names the file."""


def rights_of(path: Path) -> int:
    """Returns the permissions of the file. If it does not exist, returns those that a new file gets."""
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_whole(path: str | Path, write: Callable[[BinaryIO], Any]) -> Path:
    """Creates a binary file with a random name next to `path`, calls write(FILE) with it, and renames it to `path`.

    Returns the path. Raises DiskError if the disk does not accept the data, and OSError if a file with this path cannot be created."""
    path = Path(path)
    name = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fchmod(descriptor, rights_of(path))
            os.fsync(descriptor)
        os.replace(name, path)
        name = None
    except OSError as error:
        if error.errno in OF_THE_DISK:
            raise DiskError(f"{path}: cannot be written: {error.strerror}; make room, or choose another folder with -o") from error
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if name:
            os.unlink(name)
    return path


def write_text(path: str | Path, text: str) -> Path:
    """Writes a text in UTF-8, completely or not at all. Returns the path. Raises the errors of write_whole()."""
    return write_whole(path, lambda file: file.write(text.encode("utf-8")))
