# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the command line of scripts/gate and decides which options `ddproxy compare` gets."""
import argparse
import os
import pathlib
import re
import shlex

from gate_runs.cores import core_lists
from gate_runs.failure import USAGE, Failed

try:
    import tomllib
except ImportError:  # Python before 3.11
    tomllib = None

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "inputs"  # the inputs that come with ddproxy; an installation has the same folders


class Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line."""

    def error(self, message):
        raise Failed(USAGE, f"{message}; see scripts/gate --help")


def parse_arguments(arguments, doc):
    usage, text = doc.split("\n\n")
    parser = Parser(prog="scripts/gate", usage=usage.split("   ")[0].replace("gate", "scripts/gate", 1), description=text,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="INPUT.toml", type=pathlib.Path, help="input file, or the name of one that comes with ddproxy; inputs/gate.toml is made for the gate")
    base = parser.add_mutually_exclusive_group(required=True)
    base.add_argument("--base", type=pathlib.Path, help="build folder or prefix of the base build")
    base.add_argument("--reference", type=pathlib.Path, help="instead of --base: build folder or prefix of the reference build, with which the build of every night is compared")
    parser.add_argument("--history", type=pathlib.Path, help="with --reference: folder in which the nights are stored")
    parser.add_argument("--new", required=True, type=pathlib.Path, help="build folder or prefix of the new build")
    parser.add_argument("--rounds", default="16", help="number of rounds (default 16), or auto: as many as it takes to find a slowdown of 3 %%")
    parser.add_argument("--max-seconds", type=float, default=600, help="with --rounds auto: start no further round after this many seconds (default 600)")
    parser.add_argument("--ranks", type=int, default=2, help="MPI ranks of each build (default 2)")
    parser.add_argument("--threads", type=int, default=1, help="compute threads of each rank (default 1)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/gate"), help="folder for the results files; each start makes a new folder in it (default out/gate)")
    parser.add_argument("--rounds-of", type=pathlib.Path, metavar="FOLDER", help="measure nothing, and decide from the rounds that an earlier start with the same builds left in FOLDER")
    parser.add_argument("--base-options", default="", help="further options for the sweep of the base build, in one argument")
    parser.add_argument("--new-options", default="", help="further options for the sweep of the new build, in one argument")
    parser.add_argument("--judge", type=pathlib.Path, metavar="BUILD", help="build whose `ddproxy compare` decides (default: the base build, so "
                        "that a fault in the new build cannot hide its slowdown)")
    judge = parser.add_argument_group("options of `ddproxy compare`")
    judge.add_argument("--tolerance", help="smallest slowdown that matters (default 2%%)")
    judge.add_argument("--allow", action="append", default=[], metavar="KEY", help="compare although the files differ in this key; may be repeated")
    judge.add_argument("--allow-undecided", action="store_true", help="exit with code 0 instead of 5 if the comparison is undecided")
    for name in ("json", "csv", "junit"):
        judge.add_argument(f"--{name}", type=pathlib.Path, help=f"also write the table to this file as {name.upper()}")
    for name in ("pin", "at-least", "acknowledge"):
        judge.add_argument(f"--{name}", help="with --history: see ddproxy compare --help")
    judge.add_argument("--acknowledge-case", action="append", default=[], metavar="CASE", help="with --acknowledge: see ddproxy compare --help")
    return parser.parse_args(arguments)


def judge_options(options):
    """Returns the options that influence the verdict. Every call of `ddproxy compare` gets them."""
    return [*(["--tolerance", options.tolerance] if options.tolerance else []), *(word for key in options.allow for word in ("--allow", key))]


def output_options(options):
    """Returns the other options. Only two calls of `ddproxy compare` get them: the last one, and the one with --dry-run before anything is measured."""
    words = ["--allow-undecided"] if options.allow_undecided else []
    for name in ("json", "csv", "junit", "pin", "at_least", "acknowledge"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words + [word for case in options.acknowledge_case for word in ("--acknowledge-case", case)]


def program_of(folder):
    """Returns the ddproxy of a build folder or of an installation prefix. Raises Failed if there is none."""
    for program in (folder / "ddproxy", folder / "bin" / "ddproxy"):
        if program.is_file() and os.access(program, os.X_OK):
            return program.resolve()
    what = "has no program ddproxy or bin/ddproxy" if folder.is_dir() else "does not exist"
    raise Failed(USAGE, f"the folder {folder} {what}; give a build folder or an installation prefix")


def find_input(name):
    """Returns the path of an input file. Searches for a name without a folder as ddproxy does: NAME and NAME.toml, in the working directory and
    then among the inputs that come with ddproxy. Raises Failed if there is none."""
    if name.parent == pathlib.Path() and not name.is_file():
        folders = pathlib.Path(), INPUTS
        found = [path for folder in folders for path in (folder / name, folder / f"{name}.toml") if path.is_file()]
        if not found:
            raise Failed(USAGE, f"{name}: there is no input file {name} or {name}.toml in the working directory {pathlib.Path.cwd()}, nor in {INPUTS}"
                         f"{'' if INPUTS.is_dir() else ', which does not exist'}; give the path of an input file, or the name of a file in one of these folders")
        return found[0]
    if not name.is_file():
        raise Failed(USAGE, f"{name}: no such input file; check the path")
    return name


def check(options):
    if options.rounds != "auto" and not re.fullmatch(r"[1-9][0-9]*", options.rounds):
        raise Failed(USAGE, f"--rounds {options.rounds}: give a whole number from 1 upwards, or auto")
    if (options.reference is None) != (options.history is None):
        raise Failed(USAGE, "--reference and --history belong together: give both the reference build and the folder of the nights")
    for name in ("ranks", "threads", "max_seconds"):
        if not getattr(options, name) > 0:
            raise Failed(USAGE, f"--{name.replace('_', '-')} {getattr(options, name)}: give a number above 0")
    for name in ("base_options", "new_options"):
        try:
            shlex.split(getattr(options, name))
        except ValueError as error:
            raise Failed(USAGE, f"--{name.replace('_', '-')}: {error}") from error
    if not options.history and (options.pin or options.at_least or options.acknowledge or options.acknowledge_case):
        raise Failed(USAGE, "--pin, --at-least and --acknowledge need --history")
    options.input = find_input(options.input)
    core_lists(options.ranks, options.threads)
    refuse_overwriting(options)


def refuse_overwriting(options):
    """Raises Failed if an output file is also the input file or a table that the input names."""
    inputs = [options.input]
    if tomllib:
        try:
            sections = tomllib.loads(options.input.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            sections = {}  # ddproxy reports the error
        named = (section.get(key) for section in sections.values() if isinstance(section, dict) for key in ("times", "table"))
        inputs += [options.input.parent / name for name in named if isinstance(name, str)]
    for output in filter(None, (options.json, options.csv, options.junit)):
        if any(output.resolve() == path.resolve() for path in inputs):
            raise Failed(USAGE, f"{output} is an output file, but it is also an input; give another file")
