# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs that write a page from a JSON file: results/memory.py and results/published.py."""
from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from .errors import ReportError
from .main import missing
from .output import DiskError


def run(page: str, description: str, source: str) -> int:
    """Reads the command line, writes a page and plots, and prints their names. `page` is the name of the module of this package that writes them,
    for instance "memory_page". `source` says what the JSON file is. Returns the exit code: 0; 2 for wrong usage, a damaged file or a
    library that is missing; 4 if the disk is full."""
    program = Path(sys.argv[0]).name
    try:
        writer = importlib.import_module(f".{page}", __package__)
    except ImportError as error:
        print(missing(error, "h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib)"), file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(description=description, epilog="Exit codes: 0 success; 2 wrong usage or a damaged file; 4 the disk is full.")
    parser.add_argument("file", metavar="FILE.json", help=source)
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for the page and the plots; default: the folder of the file")
    options = parser.parse_args()
    try:
        print(*writer.write(options.file, Path(options.output) if options.output else Path(options.file).parent), sep="\n")
    except (ReportError, DiskError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 4 if isinstance(error, DiskError) else 2
    return 0
