#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-sharded-torch.py: records whole steps of FSDP2 and ZeroRedundancyOptimizer. torch_recording/sharded_command.py has its options."""
import sys

from torch_recording.main import sharded_main

if __name__ == "__main__":
    sys.exit(sharded_main())
