# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Turns the errors of a recording into a message and an exit code."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .files import OF_THE_DISK, DiskError
from .ranks import UsageError


def exit_code_of(record: Callable[[], int]) -> int:
    """Calls `record` and returns its exit code. After an error it prints one line. It then returns 4 for a run-time failure or a full disk, and 2
    for wrong usage, a missing module, or a file that cannot be opened. Wrong usage is the same on all ranks, and only the first rank writes
    files, so only the first rank prints these errors. Each rank prints its own run-time failure."""
    program, rank = Path(sys.argv[0]).name, os.environ.get("RANK", "0")
    try:
        return record()
    except (UsageError, DiskError, ImportError, OSError) as error:
        if rank == "0":
            print(f"{program}: {error}", file=sys.stderr)
        return 4 if isinstance(error, DiskError) or getattr(error, "errno", None) in OF_THE_DISK else 2
    except RuntimeError as error:  # the network or the memory failed
        print(f"{program}: rank {rank}: {error}", file=sys.stderr)
        return 4
