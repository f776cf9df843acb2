#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""compare_test.py PROGRAM MAKE_SAMPLE: the options of `ddproxy-model compare` reach the comparison, and its answer the exit code;
scripts/ab gives it the files that it wrote."""
import importlib.util
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

if importlib.util.find_spec("h5py") is None:
    sys.exit(77)
import h5py  # noqa: E402

PROGRAM, MAKE_SAMPLE = sys.argv[1:]
AB = pathlib.Path(__file__).parents[2] / "scripts" / "ab"
# Stands in for ddproxy: a sweep of an empty input is bad input, of another one leaves a file and a line.
STAND_IN = """#!/bin/sh
case $1 in
  sweep) echo "$0" >>LOG; [ -s "$2" ] || exit 2; touch "$4";;
  compare) [ "$2" != --dry-run ] || exec PROGRAM "$@"; echo "$@"; exit 1;;
esac
"""


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


def check_a_full_disk(folder, twin):
    """Exit code 4 and one line with the reason; a file is there whole, as it was before, or not at all."""
    room = folder / "room"
    room.mkdir()
    (room / "old.json").write_text("old")
    (room / "link.json").symlink_to("old.json")

    def no_room():  # for a file of more than 100 bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    for option, name in (("--json", "old.json"), ("--json", "link.json"), ("--csv", "new.csv"), ("--junit", "new.xml")):
        done = subprocess.run([PROGRAM, "compare", twin, twin, option, room / name], preexec_fn=no_room, restore_signals=False,
                              capture_output=True, text=True)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 4 and "File too large" in last and str(room) in last, done
        assert sorted(path.name for path in room.iterdir()) == ["link.json", "old.json"], list(room.iterdir())
        assert (room / "old.json").read_text() == "old"
    compare(0, twin, twin, "--json", room / "link.json")
    assert (room / "link.json").is_symlink() and json.loads((room / "old.json").read_text())["alarms"] == 0
    assert "case," in compare(0, twin, twin, "--csv", "/dev/stdout").stdout
    for arguments in ([twin, twin], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "compare", *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 4 and "cannot write standard output: " in last, done


def check_that_equal_names_are_not_enough(folder, twin):
    """A rule that cuts other buckets of the same number is another sweep; what `optimal` cuts is not."""
    other = slower(twin, folder / "cut.h5", 1.1)
    with h5py.File(other, "r+") as file:
        first = file["plans/first"][-1]
        file["plans/bytes"][first] += 4
        file["plans/bytes"][first + 1] -= 4
    assert "sweep: " in compare(2, twin, other).stderr
    compare(0, twin, other, "--allow", "sweep")
    for path in (base := slower(twin, folder / "base.h5", 1.0), other):
        with h5py.File(path, "r+") as file:
            file["sweep/strategy"][-1] = "optimal"
    compare(0, base, other)
    for path in (base, other):
        path.unlink()


def check_that_pytorch_is_no_machine(folder):
    """Cases of DDP beside ours are not what a machine is ranked by."""
    both = slower(folder / "twin.h5", folder / "both.h5", 1.0)
    figures = folder / "figures.json"

    def tokens():
        compare(0, both, "--rank-machines", "--json", figures)
        return json.loads(figures.read_text())["machines"]["tokens_per_s"]

    before = tokens()
    with h5py.File(both, "r+") as file:
        capped = [k for k, s in enumerate(file["sweep/strategy"].asstr()) if s == "bucketed"]
        case = max(capped, key=lambda k: file["sweep/measured_median"][k])
        for name in ("measured", "measured_median"):
            file["sweep"][name][case] = file["sweep"][name][case] / 100
    assert tokens() != before
    with h5py.File(both, "r+") as file:
        file["sweep/source"][case] = "pytorch"
    assert tokens() == before, (tokens(), before)


def check_ab(folder):
    log = folder / "log"
    for side in ("one", "two", "ab"):
        (folder / side).mkdir()
        (folder / side / "ddproxy").write_text(STAND_IN.replace("LOG", str(log)).replace("PROGRAM", PROGRAM))
        (folder / side / "ddproxy").chmod(0o755)
    (folder / "ab" / "archive.h5").touch()
    (folder / "fine.toml").write_text("fine")
    (folder / "bad.toml").touch()

    def ab(code, *arguments):
        log.write_text("")
        environment = {**os.environ, "RUNS": "3", "OUT": str(folder / "ab")}
        done = subprocess.run([AB, folder / "one", folder / "two", *arguments], env=environment, capture_output=True, text=True)
        assert done.returncode == code, done
        return done.stdout, [line.split("/")[-2] for line in log.read_text().splitlines()]

    out, order = ab(1, folder / "fine.toml", "--tolerance", "3%")
    sides = [" ".join(str(folder / "ab" / f"{side}00{k}.h5") for k in (1, 2, 3)) for side in "ab"]
    assert out == f"compare --base {sides[0]} --new {sides[1]} --tolerance 3%\n", out
    assert order == ["one", "two", "two", "one", "one", "two"], order
    assert ab(2, folder / "fine.toml", "--tolerance", "nonsense") == ("", [])
    assert ab(2, folder / "bad.toml") == ("", ["one"])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    twin, real = folder / "twin.h5", folder / "real.h5"
    subprocess.run([MAKE_SAMPLE, twin], check=True)
    subprocess.run([MAKE_SAMPLE, real, "mpi"], check=True)
    # runs of one build scatter by 0.2 %, those of the other are 20 % slower, too
    old = [slower(twin, folder / f"old{i}.h5", 1.001 + 0.002 * i / 8) for i in range(8)]
    new = [slower(twin, folder / f"new{i}.h5", 1.2 + 0.002 * i / 8) for i in range(8)]

    done = compare(0, twin, twin)
    assert "twin.h5: the same run is on both sides" in done.stderr and "too few samples" in done.stdout, done
    compare(0, "--base", *old, "--new", *old)
    done = compare(1, "--base", *old, "--new", *new, "--json", folder / "c.json", "--csv", folder / "c.csv", "--junit", folder / "c.xml")
    assert "slower" in done.stdout
    assert "slower" in json.dumps(json.loads((folder / "c.json").read_text()))
    assert "," in (folder / "c.csv").read_text() and "<failure" in (folder / "c.xml").read_text()
    compare(0, "--base", *old, "--new", *new, "--tolerance", "50%")

    done = compare(2, twin, real)
    assert "--allow mode" in done.stderr and done.stderr.count("\n") == 1, done
    compare(0, twin, real, "--allow", "mode", "--allow", "device")
    check_that_equal_names_are_not_enough(folder, twin)
    check_a_full_disk(folder, twin)
    compare(0, "--rank-machines", twin, real)
    for history in (real, *new):
        history.unlink()
    assert "9 nights" in compare(0, "--history", folder, "--allow-undecided").stdout
    kept = twin.read_bytes()
    for arguments in ((twin, old[0], "--csv", twin), ("--base", *old, old[0], "--new", twin), ("--dry-run", "--allow", "colour"),
                      (twin,), (twin, folder / "none.h5"), (twin, MAKE_SAMPLE), ("--history", folder / "none"), ("--history", folder, "--at-least", "0"),
                      ("--history", folder, "--pin", "none.h5"), ("--pin", twin), (twin, twin, "--tolerance", "2")):
        done = compare(2, *arguments)
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
    assert twin.read_bytes() == kept
    assert compare(0, "--dry-run", "--tolerance", "5%", "--csv", folder / "d.csv").stdout == "" and not (folder / "d.csv").exists()
    check_that_pytorch_is_no_machine(folder)
    check_ab(folder)
