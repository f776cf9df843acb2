# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts the command that writes the report: results/report.py in the project, ddproxy-report in an installation."""
from __future__ import annotations

import sys
from pathlib import Path

REMEDY = "install h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib; pip: install 'ddproxy[report]')"


def main() -> int:
    """Runs the command. Returns its exit code: 2 if a library is missing, else as command.run() says."""
    try:
        from . import command
    except ImportError as error:
        print(f"{Path(sys.argv[0]).name}: {error}; {REMEDY}", file=sys.stderr)
        return 2
    return command.run()
