# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files that appear under their names only when they are whole."""
import errno
import os
import tempfile
from pathlib import Path

OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class DiskError(Exception):
    """A fault of the run, not of its input: one line that names the file."""


def rights_of(path):
    """Those of the file that is there, else those of any new file."""
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_whole(path, write):
    """write(FILE) writes into a new binary file beside `path`, whose name nobody can predict; then that takes the name `path`.

    Returns the path. Raises DiskError where the disk does not take it, OSError where there can be no such file."""
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


def write_text(path, text):
    """As write_whole()."""
    return write_whole(path, lambda file: file.write(text.encode("utf-8")))
