# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""gate_test.py ROOT DDPROXY: scripts/gate must run two builds in turns and decide.

The builds are twins (replayed compute and all-reduces), so that no verdict depends on the speed of this machine. A slower build is a program
that reads slower tables. Two rounds with real kernels check the files that the gate leaves. The other checks provoke errors, store nights, or stop the gate."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import h5py

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from small_twin import write_twin  # noqa: E402

ROOT, DDPROXY = pathlib.Path(sys.argv[1]), sys.argv[2]
GATE = ROOT / "scripts" / "gate"
SWEEP = """strategies = ["naive", "bucketed"]
caps_mib = [0.01, 0.1, 1]
samples = 4
"""


def write_build(folder, script):
    folder.mkdir()
    (folder / "ddproxy").write_text("#!/bin/bash\n" + script)
    (folder / "ddproxy").chmod(0o755)
    cache = pathlib.Path(DDPROXY).parent / "CMakeCache.txt"  # this file names the launcher
    if cache.exists():
        (folder / "CMakeCache.txt").symlink_to(cache)
    return folder


def gate(*arguments, **options):
    return subprocess.run([GATE, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]}, **options)


def expect(code, done):
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def expect_one_line(code, text, done):
    expect(code, done)
    assert text in done.stderr and done.stderr.strip().startswith("gate: ") and done.stdout == "", done


def check_decisions(folder, build):
    """If compute of the new twin takes twice as long, the gate must say slower. If it takes half as long, the gate must say unchanged. With two rounds it
    must say undecided. Equal twins are not compared here, because one of a hundred such comparisons would say slower. The tests results.gate and
    timing.gate compare equal builds."""
    write_twin(folder / "equal", SWEEP)
    write_twin(folder / "slow", SWEEP, compute=2.0)
    slower = write_build(folder / "slower", f'exec {DDPROXY} "${{@/equal/slow}}"\n')
    twin, out = folder / "equal" / "twin.toml", folder / "out"
    common = ["--ranks", 1, "--out", out]
    assert "unchanged: " in expect(0, gate(twin, "--base", slower, "--new", build, "--rounds", 7, *common)).stdout
    done = expect(1, gate(twin, "--base", build, "--new", slower, "--rounds", 7, *common, "--junit", folder / "g.xml"))
    assert "slower: " in done.stdout and "7 rounds" in done.stdout, done.stdout
    suite = xml.etree.ElementTree.parse(folder / "g.xml").find("testsuite")
    assert suite.find("testcase").get("name") == "decision" and suite.find("testcase/failure") is not None
    again = ["--base", build, "--new", slower, "--out", folder / "unused", "--rounds-of"]
    assert expect(1, gate(twin, *again, max(out.iterdir()))).stdout == done.stdout and not (folder / "unused").exists()
    expect_one_line(2, f"--rounds-of {folder}: this folder has no base-001.h5", gate(twin, *again, folder))
    done = expect(5, gate(twin, "--base", build, "--new", slower, "--rounds", 2, *common))
    assert "2 rounds cannot decide" in done.stdout, done.stdout
    expect(0, gate(twin, "--base", build, "--new", slower, "--rounds", 1, *common, "--allow-undecided"))
    done = expect(1, gate(twin, "--base", build, "--new", slower, "--rounds", "auto", "--max-seconds", 60, *common, "--json", folder / "g.json"))
    assert json.loads((folder / "g.json").read_text())["decision"] == "slower"
    assert "rounds, in which both builds took turns" in done.stdout, done.stdout


def check_files(folder, build):
    """With real kernels, both builds must take the samples in the same order, bind the ranks to different cores, and measure all parts of [gate]. The parts
    compute/KIND must add up to the part compute."""
    expect(5, gate(ROOT / "inputs" / "gate.toml", "--base", build, "--new", build, "--rounds", 2, "--out", folder / "real"))
    (session,) = (folder / "real").iterdir()
    for number in (1, 2):
        base, new = (h5py.File(session / f"{side}-{number:03}.h5") for side in ("base", "new"))
        assert (base["sweep/order"][...] == new["sweep/order"][...]).all() and (base["sweep/order"][...] >= 0).all()
        for file in (base, new):
            assert file["gate"].attrs["round"] == number and file["gate"].attrs["session"] == session.name
            names = list(file["gate/name"].asstr())
            assert {"compute", "compute/linear", "bucket", "allreduce/4KiB", "allreduce/4096KiB"} <= set(names), names
            seconds = file["gate/seconds"][...]
            assert (seconds[:, 0] > 0).all(), seconds
            kinds = [seconds[k] for k, name in enumerate(names) if name.startswith("compute/")]
            assert abs(sum(kinds) / seconds[names.index("compute")] - 1).max() < 1e-6
            assert len(set(file["provenance/binding"].asstr())) == min(2, len(os.sched_getaffinity(0)))


def check_what_goes_wrong(folder, build):
    twin = folder / "equal" / "twin.toml"
    sides = ["--base", build, "--new", build]
    expect_one_line(2, "--rounds 0: give a whole number from 1 upwards, or auto", gate(twin, *sides, "--rounds", 0))
    expect_one_line(2, "--max-seconds -1.0", gate(twin, *sides, "--max-seconds", -1))
    expect_one_line(2, "give fewer (--ranks, --threads)", gate(twin, *sides, "--ranks", 1000))
    expect_one_line(2, "no such input file", gate(folder / "none.toml", *sides))
    expect_one_line(2, "--tolerance", gate(twin, *sides, "--tolerance", "0"))
    expect_one_line(2, f"the folder {folder} has no program ddproxy or bin/ddproxy", gate(twin, "--base", folder, "--new", build))
    expect_one_line(2, f"the folder {folder / 'nowhere'} does not exist", gate(twin, "--base", folder / "nowhere", "--new", build))
    expect_one_line(2, "No closing quotation", gate(twin, *sides, "--new-options", "'open"))
    expect_one_line(2, "unrecognized arguments: --rank-machines", gate(twin, *sides, "--rank-machines"))
    expect_one_line(2, "need --history", gate(twin, *sides, "--pin", "x.night.json"))
    expect_one_line(4, "Not a directory", gate(twin, *sides, "--ranks", 1, "--out", twin / "x"))
    kept = (twin.read_text(), (twin.parent / "times.csv").read_text())
    for output in (twin, twin.parent / "times.csv", twin.parent / "." / "allreduce.csv"):
        expect_one_line(2, "but it is also an input", gate(twin, *sides, "--junit", output))
    assert kept == (twin.read_text(), (twin.parent / "times.csv").read_text())
    more = ["--ranks", 1, "--rounds", 2, "--out", folder / "wrong"]
    broken = write_build(folder / "broken", "echo no library; exit 127\n")
    for judge in (["--base", broken, "--new", build], [*sides, "--judge", broken]):
        done = expect(4, gate(twin, *judge, *more))
        assert "compare failed with exit code 127" in done.stderr and f"{broken}/ddproxy compare" in done.stderr, done
    sweepless = write_build(folder / "sweepless", f'[ $1 = compare ] && exec {DDPROXY} "$@"; echo no library; exit 127\n')
    for name, pair in (("base", ["--base", sweepless, "--new", build]), ("new", ["--base", build, "--new", sweepless])):
        done = expect(4, gate(twin, *pair, *more))
        assert f"the build {name} failed with exit code 127: no library" in done.stderr and f"command: {sweepless}/ddproxy sweep" in done.stderr, done
    # exit code 1 of a program that fails must not look like the exit code of "slower"
    failing = write_build(folder / "failing", f'[ $1 = compare ] && exec {DDPROXY} "$@"; exit 1\n')
    assert "the build new failed with exit code 1" in expect(4, gate(twin, "--base", build, "--new", failing, *more)).stderr
    (folder / "bad.toml").write_text("[model]\npreset = 7\n")
    assert "bad.toml:2" in expect(2, gate(folder / "bad.toml", *sides, *more)).stderr


def check_nights(folder, build):
    """A night must be stored with its ratio to the reference. With few nights in the history the gate must say undecided."""
    twin, nights = folder / "equal" / "twin.toml", folder / "nights"
    common = ["--reference", build, "--new", folder / "slower", "--history", nights, "--ranks", 1, "--rounds", 3, "--out", folder / "night-rounds"]
    assert "holds its first night" in expect(5, gate(twin, *common)).stderr
    done = expect(5, gate(twin, *common))
    assert "2 nights: the test needs four nights before the newest" in done.stdout, done.stdout
    files = sorted(nights.glob("*.night.json"))
    cases = {case["name"]: case["log_ratio"] for case in json.loads(files[1].read_text())["cases"]}
    assert len(files) == 2 and cases["the whole"] > 0 and "bucketed/0.01" in cases, cases
    expect_one_line(2, "--reference and --history belong together", gate(twin, "--reference", build, "--new", build))
    expect_one_line(2, "not allowed with argument --base", gate(twin, "--base", build, *common))
    expect_one_line(2, "the following arguments are required: --new", gate(twin, "--base", build))


def check_an_interrupt(folder, build):
    """Stops the gate after two rounds. The gate must end with exit code 75, and no process of the builds may remain."""
    twin, out = folder / "equal" / "twin.toml", folder / "stopped"
    process = subprocess.Popen([GATE, twin, "--base", build, "--new", build, "--ranks", "1", "--rounds", "1000", "--out", out],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(out.glob("*/new-002.h5")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 75, process.returncode
    left = subprocess.run(["pgrep", "-f", f"{out}/"], capture_output=True, text=True, check=False).stdout
    assert left == "", left


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    build = write_build(folder / "build", f'exec {DDPROXY} "$@"\n')
    check_decisions(folder, build)
    check_files(folder, build)
    check_what_goes_wrong(folder, build)
    check_nights(folder, build)
    check_an_interrupt(folder, build)
