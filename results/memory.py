#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""memory.py FILE.json: writes a page and plots of the memory that `ddproxy memory --json FILE.json` predicted. Needs h5py, matplotlib and numpy."""
import sys

from reporting import json_page

if __name__ == "__main__":
    sys.exit(json_page.run("memory_page", "Writes one HTML page and PNG plots of the predicted memory of a rank: stacked bars and a timeline of live memory. Prints their names.",
                           "file that `ddproxy memory --json FILE.json` wrote"))
