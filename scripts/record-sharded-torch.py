#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-sharded-torch.py: records whole steps of FSDP2 and ZeroRedundancyOptimizer. torch_recording/sharded_command.py has its options."""
import sys


def main():
    """Runs the command. Returns its exit code: 2 if PyTorch is missing, else as sharded_command.run() says."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"record-sharded-torch.py: {error}; install PyTorch (pip install torch)", file=sys.stderr)
        return 2
    from torch_recording import sharded_command
    return sharded_command.run()


if __name__ == "__main__":
    sys.exit(main())
