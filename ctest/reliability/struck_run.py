# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program with a planted fault and checks what it leaves. Shared by the programs of this folder."""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from small_twin import write_step_twin, write_twin  # noqa: E402

TINY = """[model]
preset = "tiny"
[step]
batch = {batch}
sequence = 32
[allreduce]
timeout_s = {timeout}
[sweep]
strategies = ["flat", "bucketed"]
caps_mib = [0.25]
samples = {samples}
"""
# [dataset]: the phase of a run at whose end the dataset is written, in the order of the phases. Samples of the calibration are written earlier.
WRITTEN = {"layers/ready": "operations", "allreduce/median": "all-reduces", "calibration/alpha": "calibration", "plans": "prediction"}
# (part of a message, phase): a message with this part says that the run was in this phase.
STEPS = (("of the sweep", "sweep"), ("measuring steps", "steps"), ("verifying", "verification"), ("timing the operations", "operations"), ("timing the all-reduce", "all-reduces"),
         ("beside all-reduces", "calibration"), ("predicting", "prediction"), ("end of the run", "end"))
QUIET = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMP_NUM_THREADS": "1",
         "OMP_PROC_BIND": "false", "PYTHONDONTWRITEBYTECODE": "1"}
IN_FOLDER = """#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
echo $$ > pid.$rank.new && mv pid.$rank.new pid.$rank
LD_PRELOAD="$FAULTS" exec "$@"
"""


def numbers(path):
    """Returns the number of finite values in each dataset of a results file."""
    found = {}

    def count(name, data):
        if isinstance(data, h5py.Dataset) and data.dtype.kind == "f":
            found[name] = int(numpy.isfinite(data[()]).sum())
    with h5py.File(path) as file:
        file.visititems(count)
    return found


def phase_of(path, errors=""):
    """Returns what a run was doing: from its message, or if there is none, from the contents of its file."""
    step = re.search(r", while (.*?): another rank|while (in pass .*? of the sweep|measuring steps)", errors)
    for part, phase in STEPS if step else ():
        if part in step[0]:
            return phase
    if not path.exists():
        return "start"
    with h5py.File(path) as file:
        missing = [phase for name, phase in WRITTEN.items() if name not in file]
        if file.attrs["complete"] == 1:
            return "after the results"
        measured = numpy.isfinite(file["sweep/measured"][()]).any() if "sweep/measured" in file else False
        return missing[0] if missing else "sweep" if measured else "verification"


def samples_in(path):
    """Returns the number of complete samples of a file of `ddproxy step`; 0 if it cannot be read, for instance because it is being replaced."""
    try:
        with h5py.File(path) as file:
            return int(numpy.isfinite(file["step/measured"][()]).all(axis=0).sum()) if "step/measured" in file else 0
    except OSError:
        return 0


class StruckRun:
    """A run in its own folder. `faults`: libraries to preload, among them write_faults. `command`: run or step. A step takes 28 ms; its compute is
    replayed, and its all-reduces are real. `twin`: only rank 0 replays compute and all-reduces; the other ranks only take part in the all-reduces of
    [gate]."""

    def __init__(self, home, program, ranks, faults, mpiexec, samples=3, timeout=3, command="run", twin=False, batch=1):
        self.home, self.out, self.flushed = home, home / "out", home / "flushed"
        self.out.mkdir(parents=True)
        (home / "tiny.toml").write_text(TINY.format(timeout=timeout, samples=samples, batch=batch))
        if command == "step":
            write_step_twin(home, samples, f'backend = "mpi"\ntimeout_s = {timeout}\n')
            (home / "twin.toml").rename(home / "tiny.toml")
        if twin:
            write_twin(home, f'strategies = ["flat", "bucketed"]\ncaps_mib = [0.1]\nsamples = {samples}\n[gate]\nallreduce_kib = [4]\n')
            (home / "tiny.toml").write_text((home / "twin.toml").read_text().replace("[allreduce]", f"[allreduce]\ntimeout_s = {timeout}"))
        script = home / "start.sh"
        script.write_text(IN_FOLDER)
        launcher = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
        self.command = [*launcher, "sh", str(script), program, command, "tiny.toml", "-o", str(self.out / "k.h5")]
        self.ranks, self.faults = ranks, faults
        self.part, self.whole = self.out / "k.h5.part", self.out / "k.h5"

    def start(self, **settings):
        environment = {**os.environ, **QUIET, "OMPI_MCA_orte_tmpdir_base": str(self.home), "FAULTS": ":".join(self.faults),
                       "WRITE_FAULTS_FOLDER": str(self.out), "WRITE_FAULTS_FLUSHED": str(self.flushed), **settings}
        self.began = time.monotonic()
        self.process = subprocess.Popen(self.command, cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                        start_new_session=True)
        return self

    def wait_for_results(self):
        """Waits for the first flush, or for the end of the run."""
        while not self.flushed.exists() and self.process.poll() is None:
            time.sleep(0.002)

    def pids(self):
        names = [self.home / f"pid.{rank}" for rank in range(self.ranks)]
        while not all(name.exists() for name in names) and self.process.poll() is None:
            time.sleep(0.01)
        return [int(name.read_text()) for name in names]

    def end(self, limit):
        """Waits for the end of the run. Sets `hung` if the run does not end within `limit` seconds. In any case kills the processes that are left."""
        self.hung = False
        try:
            self.output, self.errors = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.hung = True
            os.killpg(self.process.pid, signal.SIGKILL)
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)  # a stopped rank whose launcher has ended
            except ProcessLookupError:
                pass
        if self.hung:
            self.output, self.errors = self.process.communicate()
        self.seconds, self.code = time.monotonic() - self.began, self.process.returncode
        return self

    def left(self):
        return self.whole if self.whole.exists() else self.part

    def lost(self):
        """Returns how many values that were flushed are lost."""
        if not self.flushed.exists():
            return 0
        there = numbers(self.left())
        return sum(max(0, count - there.get(name, 0)) for name, count in numbers(self.flushed).items())

    def clear(self):
        shutil.rmtree(self.home)


class Count:
    """Counts the runs by the phase in which the fault came, and collects the failures."""

    def __init__(self):
        self.phases, self.failures, self.lost = collections.Counter(), [], 0

    def add(self, run, survived, why):
        self.phases[phase_of(run.left(), run.errors)] += 1
        lost = run.lost()
        self.lost += lost
        if not survived or lost:
            self.failures.append(f"{why}; exit code {run.code}, {lost} numbers lost, {'hung, ' if run.hung else ''}{run.seconds:.1f} s: {run.errors[-600:]}")

    def conclude(self, what, with_phases=True):
        tried = sum(self.phases.values())
        print(f"{what}: {tried} tried, {tried - len(self.failures)} survived, {self.lost} flushed numbers lost"
              + (f"; by phase {dict(self.phases)}" if with_phases else ""), flush=True)
        for failure in self.failures:
            print("  failed:", failure, flush=True)
        assert tried and not self.failures
