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


def _permissions():
    """Those of a file that open() creates."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _new_file(path):
    """An empty file in the folder of `path`, under a name that no other process has."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.fchmod(handle, _permissions())
    os.close(handle)
    return Path(name)


def write_whole(path, write):
    """Calls write(PART) with the path of a new file in the same folder, then renames that file to `path`."""
    path, part = Path(path), None
    try:
        part = _new_file(path)
        write(part)
        os.replace(part, path)
    except OSError as error:
        if error.errno in OF_THE_DISK:
            raise DiskError(f"{path}: cannot be written: {error.strerror}; make room, or choose another folder with -o") from error
        raise OSError(error.errno, error.strerror, str(path)) from error  # names the file, not the temporary one
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
    return path
