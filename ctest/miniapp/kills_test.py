# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""kills_test.py DDPROXY WRITE_FAULTS [KILLS [FULL_DISKS]]: kills a run while it writes, and fills its disk. Nothing that was flushed may be lost.
Runs of `ddproxy step` are killed, too: KILLS / 6 of them in each turn, in up to three turns. They must flush samples while they measure.

A twin writes k.h5 in a folder that has an older k.h5 with its tables. WRITE_FAULTS (write_faults.cpp) plants the fault at a chosen write, sync,
rename or unlink. Default: 60 kills and 30 full disks."""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from reliability.struck_run import numbers, samples_in  # noqa: E402
from small_twin import write_step_twin, write_twin  # noqa: E402

DDPROXY, FAULTS = (str(Path(name).resolve()) for name in sys.argv[1:3])
KILLS, FULL_DISKS = (int(text) for text in (sys.argv[3:] + ["60", "30"][len(sys.argv) - 3:]))
SWEEP = 'strategies = ["flat", "per_tensor", "bucketed"]\ncaps_mib = [0.1, 25]\nsamples = 8\n'
TABLES = ("k.layers.csv", "k.gradients.csv", "k.allreduce.csv")
OLD = "of an older run\n"
STEP_SAMPLES = 60  # a step takes 28 ms
QUICK_MPI = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self", "OMPI_MCA_pml": "ob1", "OMP_NUM_THREADS": "1",
             "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def values(path):
    """Returns the number of finite values in each dataset of a results file, and whether the file is complete."""
    with h5py.File(path) as file:
        complete = int(file.attrs["complete"])
    return numbers(path), complete


class Run:
    """A run of the twin in its own folder. `out` contains its results. `command`: run or step."""

    def __init__(self, root, number, old, out=None, command="run"):
        self.home, self.command = root / str(number), command
        self.out = out or self.home / "out"
        self.flushed, self.log = self.home / "flushed", self.home / "log"
        if command == "step":
            write_step_twin(self.home, STEP_SAMPLES)
        else:
            write_twin(self.home, SWEEP)
        self.out.mkdir(exist_ok=True)
        if old:
            shutil.copy(old, self.out / "k.h5")
            for name in TABLES:
                (self.out / name).write_text(OLD)

    def environment(self, **more):
        """Returns the environment of a run. Open MPI's session folder is in the run's folder: if concurrent runs share one, the first to end
        removes it."""
        return {**os.environ, **QUICK_MPI, "OMPI_MCA_orte_tmpdir_base": str(self.home), **more}

    def start(self, kind="", at=0):
        faults = {"LD_PRELOAD": FAULTS, "WRITE_FAULTS_FOLDER": str(self.out), "WRITE_FAULTS_KIND": kind, "WRITE_FAULTS_AT": str(at),
                  "WRITE_FAULTS_LOG": str(self.log), "WRITE_FAULTS_FLUSHED": str(self.flushed)}
        done = subprocess.run([DDPROXY, self.command, "twin.toml", "-o", str(self.out / "k.h5")], cwd=self.home, capture_output=True, text=True,
                              env=self.environment(**faults))
        self.code, self.errors = done.returncode, [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
        return self

    def points(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def lost(self, created):
        """Returns how many flushed values are lost."""
        if not self.flushed.exists():
            return 0
        flushed, _ = values(self.flushed)
        part = self.out / "k.h5.part"
        there, _ = values(part if part.exists() else self.out / "k.h5")
        return sum(max(0, count - there.get(name, 0)) for name, count in flushed.items())

    def check_no_mixture(self, created):
        """Checks that the tables beside k.h5, old or new, are of the same run as k.h5. Tables may be absent, but not cut."""
        with h5py.File(self.out / "k.h5") as file:
            is_old = file.attrs["created"] == created
            assert file.attrs["complete"] == 1, "an unfinished file took the name of a finished one"
        for name in TABLES:
            table = self.out / name
            if table.exists():
                assert (table.read_text() == OLD) == is_old, f"{name} is of another run than k.h5"
                assert table.read_text().endswith("\n"), f"{name} is cut"

    def check_again(self):
        """Starts the run again. It must keep the partial file under another name, say so, and remove what the kill left."""
        had_part = (self.out / "k.h5.part").exists()
        self.flushed.unlink(missing_ok=True)
        before = (self.out / "k.h5.part").read_bytes() if had_part else b""
        done = subprocess.run([DDPROXY, "run", "twin.toml", "-o", str(self.out / "k.h5")], cwd=self.home, capture_output=True, text=True,
                              env=self.environment())
        assert done.returncode == 0, done
        names = {path.name for path in self.out.iterdir()}
        assert {"k.h5", *TABLES} <= names and "k.h5.lock" not in names and "k.h5.part" not in names, names
        if had_part:
            assert (self.out / "k.h5.part.1").read_bytes() == before and "k.h5.part.1" in done.stderr, done.stderr
        assert not [name for name in names if name.startswith(".k.h5.part")], names


def struck(root, old, created, number, kind, at):
    run = Run(root, f"{kind}{number}", old).start(kind, at)
    if kind == "kill":
        assert run.code in (-9, 0), (run.code, run.errors)
    else:
        assert run.code in (0, 4) and len(run.errors) == (run.code == 4), (run.code, run.errors)
        assert run.code == 0 or "No space left on device" in run.errors[0] and "/k." in run.errors[0], run.errors
    lost = run.lost(created)
    run.check_no_mixture(created)
    if number % 20 == 0:
        run.check_again()
    hit = run.code != 0
    shutil.rmtree(run.home)
    return hit, lost


def strike(root, old, created, points, kind, tries):
    """Plants the fault in `tries` runs, at points that are spread evenly over the run. If there are more tries than
    points, each point gets about the same number of tries."""
    order = [1 + k * points // tries if tries < points else 1 + k % points for k in range(tries)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: struck(root, old, created, *pair), [(k, kind, at) for k, at in enumerate(order)]))
    hit, lost = sum(hit for hit, _ in results), sum(lost for _, lost in results)
    print(f"{kind}: {tries} tried at {len(set(order))} of about {points} points, {hit} struck, {lost} flushed numbers lost", flush=True)
    assert hit > 0.8 * tries and lost == 0, (hit, lost)


def struck_step(root, number, at):
    """Kills a run of whole steps. Returns whether it was killed, the number of flushed values that are lost, and the
    number of samples in the file that it left."""
    run = Run(root, f"step{number}", None, command="step").start("kill", at)
    assert run.code in (-9, 0), (run.code, run.errors)
    left = run.out / ("k.h5.part" if run.code else "k.h5")
    result = run.code != 0, run.lost(None), samples_in(left) if left.exists() else 0
    shutil.rmtree(run.home)
    return result


def strike_steps(root, tries):
    results, unfinished = [], []
    for turn in range(3):  # several turns: on a busy machine a flush takes long, so there are few flushes, and perhaps none between two samples
        whole = Run(root, f"whole{turn}", None, command="step").start()
        assert whole.code == 0 and samples_in(whole.out / "k.h5") == STEP_SAMPLES, whole.errors
        points = whole.points()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results += pool.map(lambda k, points=points: struck_step(root, k, 1 + k * points // tries), range(tries))
        unfinished = [samples for hit, _, samples in results if hit and 0 < samples < STEP_SAMPLES]
        if unfinished:
            break
    hit, lost = sum(hit for hit, _, _ in results), sum(lost for _, lost, _ in results)
    print(f"kill of whole steps: {len(results)} tried at about {points} points, {hit} struck, {lost} flushed numbers lost, {len(unfinished)} left 1 to "
          f"{STEP_SAMPLES - 1} samples", flush=True)
    assert hit > 0.6 * len(results) and lost == 0 and unfinished, results


def fill_disks(root, old, created, size):
    """Tries real full file systems: tmpfs mounts, most of them smaller than what the run writes."""
    place = root / "disk"
    place.mkdir()
    full = 0
    for number, share in enumerate((0.1, 0.5, 0.9, 1.3, random.uniform(0.2, 2))):
        room = 4 + int(share * size / 1024)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}k", "none", place], stderr=subprocess.DEVNULL).returncode:
            return print("tmpfs: skipped, this user may not mount one")
        try:
            run = Run(root, f"disk{number}", None, place).start()
            assert run.code in (0, 4) and len(run.errors) == (run.code == 4), (room, run.code, run.errors)
            assert run.code == 0 or "k.h5" in run.errors[0] and "No space left" in run.errors[0], run.errors
            assert run.lost(created) == 0
            full += run.code == 4
        finally:
            subprocess.run(["umount", place], check=True)
    assert full >= 3, full
    print(f"tmpfs: 5 tried, {full} became full, 0 flushed numbers lost", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        first = Run(root, "first", None).start()
        assert first.code == 0, first.errors
        old = first.out / "k.h5"
        with h5py.File(old) as file:
            created = file.attrs["created"]
            file_values = values(old)[0]
            assert file_values["sweep/measured"] == 8 * 4, file_values
        counted = Run(root, "counted", old).start()
        assert counted.code == 0 and counted.lost(created) == 0, counted.errors
        points = counted.points()
        assert points > 40, points
        strike(root, old, created, points, "kill", KILLS)
        strike(root, old, created, points, "full", FULL_DISKS)
        fill_disks(root, old, created, old.stat().st_size)
        strike_steps(root, KILLS // 6)


main()
