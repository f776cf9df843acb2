# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""nights.py ROOT BUILD [--nights 10] [--slow linear:0.03] [--folder DIR]

Runs the nightly job of deploy/spack/ci with the rounds and the input that the job itself chooses. Runs --nights nights with an unchanged build and as many
with a slower build, in turns. In all of them BUILD is the reference and the last good build. The slower build is BUILD with operators of one kind that really
take longer (--slow KIND:SHARE). Prints a row for each night. Fails if fewer than 90 % of the nights with the unchanged build ended with exit code 0
(unchanged), or fewer than 80 % of the nights with the slower build ended with exit code 1 (slower). With --folder the nights are kept in this folder, and a
second start runs only those that are missing."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WANTED = {"unchanged": (0, 0.9), "slower": (1, 0.8)}  # build: exit code of the job, and the share of the nights that must end with it


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--nights", type=int, default=10)
    parser.add_argument("--slow", default="linear:0.03", metavar="KIND:SHARE")
    parser.add_argument("--folder", type=pathlib.Path)
    return parser.parse_args()


def run_night(opts, kind, number, folder):
    """Runs one night. Returns its row of the table."""
    state, artifacts = folder / kind, folder / f"{kind}-{number:02}"
    state.mkdir(exist_ok=True)
    for name in ("reference", "last-good"):
        (state / name).write_text(f"{opts.build}\n")
    slow = ["--", "--new-options", f"--slow-operator {opts.slow}"] if kind == "slower" else []
    start = time.monotonic()
    done = subprocess.run([opts.root / "deploy/spack/ci/night", "--new", opts.build, "--state", state, "--artifacts", artifacts, *slow],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 5), (done.returncode, done.stdout, done.stderr)
    compared = json.loads((artifacts / "gate.json").read_text())
    return {"build": kind, "night": number, "code": done.returncode, "ratio": compared["compare"]["ratio"][0], "seconds": time.monotonic() - start,
            "load": os.getloadavg()[0], "reason": compared["reason"]}


def print_row(row):
    print(f"{row['build']:9}  {row['night']:5}  {row['code']:9}  {row['ratio']:14.4f}  {row['seconds']:4.0f} s  {row['load']:4.1f}  {row['reason']}", flush=True)


def conclude(rows):
    """Prints how many nights ended as wanted. Returns whether they were enough."""
    enough = True
    for kind, (code, share) in WANTED.items():
        codes = [row["code"] for row in rows if row["build"] == kind]
        right = codes.count(code)
        print(f"{kind}: exit code {code} in {right} of {len(codes)} nights; others: {sorted(c for c in codes if c != code)}")
        enough = enough and right >= share * len(codes)
    return enough


def main():
    opts = options()
    opts.build = opts.build.resolve()
    folder = opts.folder or pathlib.Path(tempfile.mkdtemp(prefix="ddproxy-nights-"))
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "nights.json"
    rows = json.loads(stored.read_text()) if stored.exists() else []
    print("build      night  exit code  all, new/base  time    load  decision of the gate")
    for row in rows:
        print_row(row)
    for number in range(1, opts.nights + 1):
        for kind in WANTED:
            if any((row["build"], row["night"]) == (kind, number) for row in rows):
                continue
            rows.append(run_night(opts, kind, number, folder))
            print_row(rows[-1])
            stored.write_text(json.dumps(rows))
    return 0 if conclude(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
