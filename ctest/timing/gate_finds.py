# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""gate_finds.py ROOT BUILD [--rounds 16]

Tests whether scripts/gate finds a slowdown of 3 % on this machine. Runs inputs/gate.toml twice. With equal builds the test fails if the verdict is "slower",
which happens once in a hundred times. With linear operators that are 3 % slower it fails unless the verdict is "slower"."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

NAMES = {0: "unchanged", 1: "slower", 5: "undecided"}


def gate(opts, folder, *more):
    command = [opts.root / "scripts" / "gate", opts.root / "inputs" / "gate.toml", "--base", opts.build, "--new", opts.build,
               "--rounds", str(opts.rounds), "--out", folder, *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    return NAMES.get(done.returncode, f"exit code {done.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=16)
    opts = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        equal = gate(opts, folder)
        planted = gate(opts, folder, "--new-options", "--slow-operator linear:0.03")
    print(f"equal builds: {equal}; linear operators 3 % slower: {planted}")
    return equal not in ("unchanged", "undecided") or planted != "slower"


if __name__ == "__main__":
    sys.exit(main())
