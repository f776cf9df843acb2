# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts the command that records a PyTorch model: scripts/record-torch.py in the project, record-torch in an installed Python package."""
from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Runs the command. Returns its exit code: 2 if PyTorch is missing, else as command.run() says."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"{Path(sys.argv[0]).name}: {error}; install PyTorch (pip install torch, Debian: python3-torch)", file=sys.stderr)
        return 2
    from . import command
    return command.run()
