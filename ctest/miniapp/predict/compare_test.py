#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""compare_test.py PROGRAM MAKE_SAMPLE: the options of `ddproxy-model compare` must reach the comparison, and its result must decide the exit code.
scripts/ab must give `compare` the files that its runs wrote."""
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
AB = pathlib.Path(__file__).parents[3] / "scripts" / "ab"
# Replaces ddproxy. A sweep adds a line to LOG. If the number in the input is 0, it creates its results file. Otherwise it exits with
# this number. A comparison prints its arguments and exits with the number in CODE. With --dry-run, PROGRAM compares.
STAND_IN = """#!/bin/sh
case $1 in
  sweep) echo "$0" >>LOG; read code <"$2"; [ "$code" = 0 ] || { echo why >&2; exit "$code"; }; touch "$4";;
  compare) [ "$2" != --dry-run ] || exec PROGRAM "$@"; echo "$@"; exit "$(cat CODE)";;
esac
"""


def compare(code, *arguments):
    done = subprocess.run([PROGRAM, "compare", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done)
    return done


def accepted(*arguments):
    """Compares and expects exit code 0, even if the comparison is undecided."""
    return compare(0, *arguments, "--allow-undecided")


def slower(source, target, factor):
    shutil.copy(source, target)
    with h5py.File(target, "r+") as file:
        for name in ("measured", "measured_median"):
            file["sweep"][name][...] = file["sweep"][name][...] * factor
    return target


def check_a_full_disk(folder, twin):
    """A full disk must give exit code 4 and one line with the reason. Each file must be complete, unchanged or absent."""
    room = folder / "room"
    room.mkdir()
    (room / "old.json").write_text("old")
    (room / "link.json").symlink_to("old.json")

    def no_room():  # no file can have more than 100 bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    for option, name in (("--json", "old.json"), ("--json", "link.json"), ("--csv", "new.csv"), ("--junit", "new.xml")):
        done = subprocess.run([PROGRAM, "compare", twin, twin, option, room / name], preexec_fn=no_room, restore_signals=False,
                              capture_output=True, text=True)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 4 and "File too large" in last and str(room) in last, done
        assert sorted(path.name for path in room.iterdir()) == ["link.json", "old.json"], list(room.iterdir())
        assert (room / "old.json").read_text() == "old"
    accepted(twin, twin, "--json", room / "link.json")
    assert (room / "link.json").is_symlink() and json.loads((room / "old.json").read_text())["alarms"] == 0
    assert "case," in accepted(twin, twin, "--csv", "/dev/stdout").stdout
    for arguments in ([twin, twin, "--allow-undecided"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "compare", *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 4 and "cannot write standard output: " in last, done


def check_that_equal_names_are_not_enough(folder, twin):
    """A sweep whose rule makes other buckets is a different sweep, even with equally many buckets. The buckets of `optimal` may differ."""
    other = slower(twin, folder / "cut.h5", 1.1)
    with h5py.File(other, "r+") as file:
        first = file["plans/first"][-1]
        file["plans/bytes"][first] += 4
        file["plans/bytes"][first + 1] -= 4
    assert "sweep: " in compare(2, twin, other).stderr
    compare(1, twin, other, "--allow", "sweep")
    for path in (base := slower(twin, folder / "base.h5", 1.0), other):
        with h5py.File(path, "r+") as file:
            file["sweep/strategy"][-1] = "optimal"
    compare(1, base, other)
    for path in (base, other):
        path.unlink()


def check_that_pytorch_is_no_machine(folder):
    """Machines must not be ranked by the cases of PyTorch's DDP in a file."""
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


def stand_in(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def check_ab(folder):
    log, code_file = folder / "log", folder / "code"
    for side in ("one", "two"):
        stand_in(folder / side / "ddproxy", STAND_IN.replace("LOG", str(log)).replace("CODE", str(code_file)).replace("PROGRAM", PROGRAM))
    (folder / "ab").mkdir()
    (folder / "ab" / "archive.h5").touch()
    (folder / "fine.toml").write_text("0\n")
    environment = {**os.environ, "RUNS": "3", "OUT": str(folder / "ab")}

    def ab(code, *arguments, compared=1, **more):
        log.write_text("")
        code_file.write_text(str(compared))
        done = subprocess.run([AB, folder / "one", folder / "two", *arguments], env={**environment, **more}, capture_output=True, text=True)
        assert done.returncode == code, done
        return done, [line.split("/")[-2] for line in log.read_text().splitlines()]

    done, order = ab(1, folder / "fine.toml", "--tolerance", "3%")
    sides = [" ".join(str(folder / "ab" / f"{side}00{k}.h5") for k in (1, 2, 3)) for side in "ab"]
    assert done.stdout == f"compare --base {sides[0]} --new {sides[1]} --tolerance 3%\n", done
    assert order == ["one", "two", "two", "one", "one", "two"], order
    done, order = ab(2, folder / "fine.toml", "--tolerance", "nonsense")
    assert (done.stdout, order) == ("", [])
    for compared, code in ((0, 0), (2, 2), (4, 4), (5, 5), (3, 4), (139, 4)):
        done, _ = ab(code, folder / "fine.toml", compared=compared)
        assert ("undecided" in done.stderr) == (code == 5), done
    check_ab_where_a_run_fails(folder, ab)


def check_ab_where_a_run_fails(folder, ab):
    """If a run fails, scripts/ab must exit with 4 and print the command. Exit code 1 would mean slower."""
    for code in (1, 2, 3, 127):
        (folder / "bad.toml").write_text(f"{code}\n")
        done, order = ab(4, folder / "bad.toml")
        assert (done.stdout, order) == ("", ["one"]), done
        assert f"failed with exit code {code}: {folder}/one/ddproxy sweep {folder}/bad.toml -o {folder}/ab/a001.h5" in done.stderr, done
        assert "why" in done.stderr, done
    stand_in(folder / "bin" / "mpirun", "#!/bin/sh\nexit 1\n")
    done, order = ab(4, folder / "fine.toml", RANKS="2", PATH=f"{folder}/bin:{os.environ['PATH']}")
    assert order == [] and f"exit code 1: mpirun -n 2 {folder}/one/ddproxy" in done.stderr, done
    done, _ = ab(4, folder / "fine.toml", OUT=f"{folder}/fine.toml/ab")
    assert "cannot write there" in done.stderr, done


def check_labels(folder, real):
    """LABEL=FILE must distinguish two offers that were measured on one host."""
    other = slower(real, folder / "second.h5", 1.1)
    figures = folder / "figures.json"
    for files, machines in ((("A 1=", "B="), ["A 1: a processor, 8 ranks, node", "B: a processor, 8 ranks, node"]),
                            (("", ""), ["a processor, 8 ranks, node"])):
        compare(0, "--rank-machines", f"{files[0]}{real}", f"{files[1]}{other}", "--json", figures)
        assert json.loads(figures.read_text())["machines"]["machine"] == machines, figures.read_text()
    assert "lacks its label" in compare(2, "--rank-machines", f"={real}").stderr
    assert "none.h5" in compare(2, "--rank-machines", f"A={folder}/none.h5").stderr
    assert "also read" in compare(2, "--rank-machines", f"A={real}", "--csv", real).stderr


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    twin, real = folder / "twin.h5", folder / "real.h5"
    subprocess.run([MAKE_SAMPLE, twin], check=True)
    subprocess.run([MAKE_SAMPLE, real, "mpi"], check=True)
    # the runs of one build scatter by 0.2 %; those of the other build do so too and are 20 % slower
    old = [slower(twin, folder / f"old{i}.h5", 1.001 + 0.002 * i / 8) for i in range(8)]
    new = [slower(twin, folder / f"new{i}.h5", 1.2 + 0.002 * i / 8) for i in range(8)]

    done = accepted(twin, twin)
    assert "twin.h5: the same run is on both sides" in done.stderr and "unchanged: " in done.stdout, done
    assert "slower: 10 of the 10 cases (simulated times)" in compare(1, twin, new[0]).stdout
    assert "one file on each side does not show by how much two runs of the same build differ; the largest slowdown" in compare(5, real, slower(real, folder / "second.h5", 10)).stdout
    (folder / "second.h5").unlink()
    compare(0, "--base", *old, "--new", *old)
    done = compare(1, "--base", *old, "--new", *new, "--json", folder / "c.json", "--csv", folder / "c.csv", "--junit", folder / "c.xml")
    assert "slower" in done.stdout
    assert "slower" in json.dumps(json.loads((folder / "c.json").read_text()))
    assert "," in (folder / "c.csv").read_text() and "<failure" in (folder / "c.xml").read_text()
    compare(1, *old, "--", *new)
    compare(2, "--base", *old, "--new", *new, "--", *new)

    done = compare(2, twin, real)
    assert "--allow mode" in done.stderr and done.stderr.count("\n") == 1, done
    accepted(twin, real, "--allow", "mode", "--allow", "device")
    check_that_equal_names_are_not_enough(folder, twin)
    check_a_full_disk(folder, twin)
    done = compare(2, "--rank-machines", twin, real)
    assert "--allow mode" in done.stderr and done.stderr.count("\n") == 1, done
    compare(0, "--rank-machines", twin, real, "--allow", "mode")
    check_labels(folder, real)
    for history in (real, folder / "second.h5", *new):
        history.unlink()
    assert "9 nights" in compare(0, "--history", folder, "--allow-undecided").stdout
    kept = twin.read_bytes()
    for arguments in ((twin, old[0], "--csv", twin), ("--base", *old, old[0], "--new", twin), ("--dry-run", "--allow", "colour"),
                      (twin,), (twin, folder / "none.h5"), (twin, MAKE_SAMPLE), ("--history", folder / "none"), ("--history", folder, "--at-least", "0"),
                      ("--history", folder, "--pin", "none.h5"), ("--pin", twin), *((twin, twin, "--tolerance", share) for share in ("2", "0", "-1%", "nan"))):
        done = compare(2, *arguments)
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
    assert twin.read_bytes() == kept
    assert compare(0, "--dry-run", "--tolerance", "5%", "--csv", folder / "d.csv").stdout == "" and not (folder / "d.csv").exists()
    check_that_pytorch_is_no_machine(folder)
    check_ab(folder)
