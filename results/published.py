#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""published.py FILE.json: writes a page and plots of the comparison that `ddproxy step --against published --json FILE.json` wrote. Needs h5py, matplotlib and numpy."""
import sys

from reporting import json_page

if __name__ == "__main__":
    sys.exit(json_page.run("published_page", "Writes one HTML page and PNG plots of published step times beside a fitted roofline, and prints their names.",
                           "comparison that `ddproxy step --against published --json FILE.json` wrote"))
