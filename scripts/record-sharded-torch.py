#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-sharded-torch.py: records whole steps of FSDP2 and ZeroRedundancyOptimizer. torch_recording/sharded_command.py has its options."""
import sys

try:
    import torch  # noqa: F401
except ImportError as error:
    sys.exit(f"record-sharded-torch.py: {error}; install PyTorch (pip install torch)")
from torch_recording.sharded_command import run

if __name__ == "__main__":
    sys.exit(run())
