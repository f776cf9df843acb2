#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""record-torch.py [MODULE:FUNCTION]: records what `ddproxy predict` needs to know about a PyTorch model. torch_recording/command.py has its options."""
import sys

from torch_recording.main import main

if __name__ == "__main__":
    sys.exit(main())
