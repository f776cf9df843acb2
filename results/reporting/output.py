# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files that appear under their names only when they are whole."""
import errno
import os
from pathlib import Path

OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class DiskError(Exception):
    """A fault of the run, not of its input: one line that names the file."""


def write_whole(path, write):
    """write(PATH) writes beside `path`; then that takes its name."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        write(part)
        os.replace(part, path)
    except OSError as error:
        if error.errno in OF_THE_DISK:
            raise DiskError(f"{path}: cannot be written: {error.strerror}; make room, or choose another folder with -o") from error
        raise
    finally:
        part.unlink(missing_ok=True)
    return path
