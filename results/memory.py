#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""memory.py FILE.json: writes a page and plots of the memory that `ddproxy memory --json FILE.json` predicted. Needs h5py, matplotlib and numpy."""
import argparse
import sys
from pathlib import Path

from reporting.main import missing

try:
    from reporting import memory_page
    from reporting.errors import ReportError
    from reporting.output import DiskError
except ImportError as error:
    print(missing(error, "h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib)"), file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description="Writes one HTML page and PNG plots of the predicted memory of a rank: stacked bars and a timeline of live memory. Prints their names.",
                                     epilog="Exit codes: 0 success; 2 wrong usage or a damaged file; 4 the disk is full.")
    parser.add_argument("file", metavar="FILE.json", help="file that `ddproxy memory --json FILE.json` wrote")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for the page and the plots; default: the folder of the file")
    options = parser.parse_args()
    try:
        print(*memory_page.write(options.file, Path(options.output) if options.output else Path(options.file).parent), sep="\n")
    except (ReportError, DiskError, OSError) as error:
        print(f"memory.py: {error}", file=sys.stderr)
        return 4 if isinstance(error, DiskError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
