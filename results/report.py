#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""report.py FILE [-o DIR]: plots of a results file of ddproxy. Needs h5py, matplotlib and numpy."""
import argparse
import os
import sys
from pathlib import Path

try:
    from reporting import style
    from reporting.data import ReportError, Results
    from reporting.sweep_figure import draw_sweep
except ImportError as error:
    print(f"report.py: {error}; needed are h5py, matplotlib and numpy (Debian: python3-h5py python3-matplotlib)", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description="Draws a results file of ddproxy: T(b) and E(b), measured and predicted.")
    parser.add_argument("file", help="results file (HDF5)")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for what is written; default: the file's own")
    return parser.parse_args()


def report(options):
    results = Results(options.file)
    if not results.complete:
        print(f"report.py: warning: {results.path}: the run was interrupted; what it measured is shown", file=sys.stderr)
    folder = Path(options.output) if options.output else results.path.parent
    if not folder.is_dir():
        folder.mkdir(parents=True)
    print(style.save(draw_sweep(results), folder / f"{results.path.stem}-sweep.png"))


def main():
    try:
        report(arguments())
    except (ReportError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
