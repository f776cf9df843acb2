#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""compare_test.py PROGRAM MAKE_SAMPLE: the options of `ddproxy-model compare` reach the comparison, and its answer the exit code."""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

if importlib.util.find_spec("h5py") is None:
    sys.exit(77)
import h5py  # noqa: E402

PROGRAM, MAKE_SAMPLE = sys.argv[1:]


def compare(code, *arguments):
    done = subprocess.run([PROGRAM, "compare", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done)
    return done


def slower(source, target, factor):
    shutil.copy(source, target)
    with h5py.File(target, "r+") as file:
        for name in ("measured", "measured_median"):
            file["sweep"][name][...] = file["sweep"][name][...] * factor
    return target


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    twin, real = folder / "twin.h5", folder / "real.h5"
    subprocess.run([MAKE_SAMPLE, twin], check=True)
    subprocess.run([MAKE_SAMPLE, real, "mpi"], check=True)
    # runs of one build scatter by 0.2 %, those of the other are 20 % slower, too
    old = [slower(twin, folder / f"old{i}.h5", 1 + 0.002 * i / 8) for i in range(8)]
    new = [slower(twin, folder / f"new{i}.h5", 1.2 + 0.002 * i / 8) for i in range(8)]

    compare(0, twin, twin)
    compare(0, "--base", *old, "--new", *old)
    done = compare(1, "--base", *old, "--new", *new, "--json", folder / "c.json", "--csv", folder / "c.csv", "--junit", folder / "c.xml")
    assert "slower" in done.stdout
    assert "slower" in json.dumps(json.loads((folder / "c.json").read_text()))
    assert "," in (folder / "c.csv").read_text() and "<failure" in (folder / "c.xml").read_text()
    compare(0, "--base", *old, "--new", *new, "--tolerance", "50%")

    done = compare(2, twin, real)
    assert "--allow mode" in done.stderr and done.stderr.count("\n") == 1, done
    compare(0, twin, real, "--allow", "mode", "--allow", "device")
    compare(0, "--rank-machines", twin, real)
    for history in (real, *new):
        history.unlink()
    assert "0 changes in 9 files" in compare(0, "--history", folder).stdout
    for arguments in ((twin,), (twin, folder / "none.h5"), (twin, MAKE_SAMPLE), ("--history", folder / "none"), (twin, twin, "--tolerance", "2")):
        done = compare(2, *arguments)
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
