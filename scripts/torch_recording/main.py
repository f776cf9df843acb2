# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts the commands that record PyTorch: scripts/record-torch.py and record-sharded-torch.py in the project, record-torch and record-sharded-torch in an
installed Python package."""
from __future__ import annotations

import sys
from pathlib import Path


def has_torch(advice: str) -> bool:
    """Returns whether Python can import PyTorch. If not, prints one line with `advice`, which says how to install it."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"{Path(sys.argv[0]).name}: {error}; install PyTorch ({advice})", file=sys.stderr)
        return False
    return True


def main() -> int:
    """Records a model. Returns the exit code: 2 if PyTorch is missing, else as command.run() says."""
    if not has_torch("pip install torch, Debian: python3-torch"):
        return 2
    from . import command
    return command.run()


def sharded_main() -> int:
    """Records sharded steps. Returns the exit code: 2 if PyTorch is missing, else as sharded_command.run() says."""
    if not has_torch("pip install torch"):
        return 2
    from . import sharded_command
    return sharded_command.run()
