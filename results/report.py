#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report.py FILE...: writes a page and plots of results files. Needs h5py, matplotlib and numpy. `report.py --help` lists the options."""
import os
import sys

from reporting.main import main

if __name__ == "__main__":
    sys.argv[0] = os.environ.get("DDPROXY_REPORT_NAME", sys.argv[0])  # bin/ddproxy-report of an installation sets the variable
    sys.exit(main())
