# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""The command that writes a page and plots of results files of ddproxy."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .allreduce_figure import PUBLISHED_RANKS, is_machine_of_published, read_reference
from .compare_figure import in_time
from .data import Results
from .errors import ReportError
from .output import DiskError
from .report import Report
from .tables import write_csv, write_json

PUBLISHED = Path(__file__).resolve().parents[2] / "inputs" / "published" / "allreduce-8xa100-1node.csv"


def say(message: str) -> None:
    """Prints a message to standard error, after the name under which the command was started."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Writes one HTML page and PNG plots of a results file of ddproxy, and prints their names. With several files the "
                                     "page shows the newest one and compares it with the oldest one. Up to six files are also drawn over the bucket size, and three or more over time.",
                                     epilog="Exit codes: 0 success; 2 wrong usage or a damaged file; 4 the disk is full.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="results file (HDF5)")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for the page, plots and tables; default: the folder of the first file")
    parser.add_argument("--csv", action="store_true", help="also write every table as CSV")
    parser.add_argument("--json", action="store_true", help="also write all tables to one JSON file")
    parser.add_argument("--reference", metavar="CSV", help="published all-reduce table (columns bytes,seconds and optionally ranks) to draw beside a(x); "
                        "'none' draws none; default: the table of eight A100 if a(x) was measured with NCCL on eight A100 of one host, else none; the package that pip installs has no table")
    return parser.parse_args()


def reference(name: str | None, newest: Results) -> tuple | None:
    """Returns (name of the file without its suffix, table) of the published all-reduce times to draw beside a(x), or None. `table` is (bytes, seconds,
    ranks), as from read_reference(). The argument `name` is the value of --reference. If it is "none", returns None. If the option was not given, returns
    the table of eight A100 if a(x) was measured with NCCL on eight A100 of one host, else None. The Python package that pip installs lacks this
    table; there the result is None."""
    if name == "none" or (name is None and not (PUBLISHED.is_file() and is_machine_of_published(newest))):
        return None
    path = Path(name) if name else PUBLISHED
    sizes, seconds, ranks = read_reference(path)
    return path.stem, (sizes, seconds, ranks if name else PUBLISHED_RANKS)


def report(options: argparse.Namespace) -> None:
    files = [Results(path) for path in options.files]
    for file in files:
        if not file.complete:
            say(f"warning: {file.path}: the run was interrupted, or it still goes on; the page shows what it has measured so far")
    folder = Path(options.output) if options.output else files[0].path.parent
    folder.mkdir(parents=True, exist_ok=True)
    result = Report(files, folder, reference(options.reference, in_time(files)[-1]))
    result.write()
    tables = result.tables + result.extra_tables
    if options.csv:
        result.written += [write_csv(t, folder / f"{result.stem}-{t.name}.csv") for t in tables]
    if options.json:
        result.written.append(write_json(tables, folder / f"{result.stem}-tables.json"))
    print(*result.written, sep="\n")


def run() -> int:
    """Reads the command line, writes the report, and prints the names of its files. Returns the exit code: 0 success; 2 wrong usage or a damaged
    file; 4 the disk is full."""
    try:
        report(arguments())
    except (ReportError, DiskError, OSError) as error:
        say(str(error))
        return 4 if isinstance(error, DiskError) else 2
    return 0
