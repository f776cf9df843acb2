# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""calibration_kills_test.py DDPROXY WRITE_FAULTS REPORT MPIEXEC...: kills `ddproxy run` with SIGKILL while it calibrates. FILE.part must contain the samples
that were flushed. --resume must refuse this file, because it has no round of the sweep, and --resume auto must keep it and measure again."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reliability"))
from struck_run import StruckRun, numbers  # noqa: E402

DDPROXY, FAULTS, REPORT = (str(Path(name).resolve()) for name in sys.argv[1:4])
MPIEXEC = sys.argv[4:]
RANKS, SAMPLES, LIMIT = 2, 3, 120
TABLES = ("layers/seconds", "allreduce/seconds", "calibration/compute_alone")  # in the order in which a round measures them
RESULTS = ("layers/ready", "allreduce/median", "calibration/kappa", "sweep/predicted")  # computed from the whole calibration
NO_ROUND = "it has no complete round of a sweep"


def samples_of(path):
    """Returns the number of finite values in each table that the file has. Returns no tables while there is no file."""
    try:
        return {name: count for name, count in numbers(path).items() if name in TABLES}
    except OSError:
        return {}


def kill_all(run):
    for pid in run.pids():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.end(LIMIT)


def killed_with(home, tables):
    """Kills rank 0 as soon as FILE.part has samples of these tables."""
    run = StruckRun(home, DDPROXY, RANKS, [FAULTS], MPIEXEC, SAMPLES, timeout=60).start()
    seen = {}
    while not set(tables) <= seen.keys():
        assert run.process.poll() is None and time.monotonic() - run.began < LIMIT, (seen, run.process.poll())
        time.sleep(0.005)
        seen = samples_of(run.part)
    os.kill(run.pids()[0], signal.SIGKILL)
    run.end(LIMIT)
    left = samples_of(run.part)
    assert run.code and not run.whole.exists(), (run.code, run.errors)
    assert run.lost() == 0 and all(left[name] >= count > 0 for name, count in seen.items()), (seen, left)
    return run


def check_content(run, tables):
    """Checks that FILE.part has whole samples of the tables, and nothing that is computed from the whole calibration."""
    with h5py.File(run.part) as file:
        assert file.attrs["complete"] == 0
        computed = [name for name in RESULTS if name in file and np.isfinite(file[name][()]).any()]
        assert not computed, computed
        layers = file["layers/seconds"][()]
        assert layers.shape[0] == RANKS and layers.shape[2] == file["layers/sample"].size >= 1 and (layers > 0).all(), layers.shape
        for name in tables[1:]:
            values = file[name][()]
            assert np.isfinite(values[:, 0]).all() and values.shape[1] == file[name.split("/")[0] + "/sample"].size, (name, values)


def check_report(run):
    done = subprocess.run([sys.executable, "-B", REPORT, str(run.part), "-o", str(run.home / "page")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = list((run.home / "page").glob("*.html"))
    assert len(pages) == 1 and "the run was interrupted, or it still goes on; what it has measured so far is shown" in pages[0].read_text(), pages


def start_again(run, resume):
    for pid in run.home.glob("pid.*"):
        pid.unlink()
    command = list(run.command)
    run.command += ["--resume", resume]
    run.start()
    run.command = command


def check_resume(run):
    left = run.part.read_bytes()
    start_again(run, str(run.part))
    run.end(LIMIT)
    assert run.code == 2 and f"{run.part} cannot be resumed: {NO_ROUND}" in run.errors, (run.code, run.errors)
    assert run.part.read_bytes() == left
    start_again(run, "auto")
    kept = run.part.with_name(run.part.name + ".1")
    while not kept.exists() or not samples_of(run.part):  # in this order: until `kept` exists, run.part is the file of the first run
        assert run.process.poll() is None and time.monotonic() - run.began < LIMIT, run.process.poll()
        time.sleep(0.005)
    kill_all(run)
    assert kept.read_bytes() == left, "the samples of the first run are kept"
    assert f"warning: {run.part} is not resumed: {NO_ROUND}; this run takes all rounds, and keeps the file under another name" in run.errors, run.errors
    with h5py.File(run.part) as file:
        assert "resumed_from" not in file.attrs and (file["layers/seconds"][()] > 0).all(), "the new run measures the tables again"


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        run = killed_with(root / "first", TABLES[:1])
        check_content(run, TABLES[:1])
        print(f"killed after the first flush in the calibration: {samples_of(run.part)}", flush=True)
        run = killed_with(root / "all", TABLES)
        check_content(run, TABLES)
        print(f"killed after all tables had samples: {samples_of(run.part)}", flush=True)
        check_report(run)
        check_resume(run)


main()
