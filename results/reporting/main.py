# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts the command that writes the report: results/report.py in the project, ddproxy-report in an installation."""
from __future__ import annotations

import os
import sys
from pathlib import Path



def missing(error: ImportError, remedy: str) -> str:
    """Returns a message for a library that cannot be imported. It names the Python that runs, because another one may have the library. `remedy`
    says what to install."""
    what = f"has no {error.name}" if isinstance(error, ModuleNotFoundError) else f"cannot import a library ({error})"
    return f"{Path(sys.argv[0]).name}: this Python ({sys.executable}) {what}; install {remedy}, or run another Python"


def main() -> int:
    """Runs the command. Returns its exit code: 2 if a library is missing, else as command.run() says."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # else the idle threads of numpy's linear algebra wait busily; the report needs one thread
    try:
        from . import command
    except ImportError as error:
        print(missing(error, "h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib; pip: install 'ddproxy[report]')"), file=sys.stderr)
        return 2
    return command.run()
