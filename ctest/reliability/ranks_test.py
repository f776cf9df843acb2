# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""ranks_test.py DDPROXY WRITE_FAULTS MPI_FAULTS STOPPED LOST STARTS SAMPLES AT_ONCE MPIEXEC...: stops or kills one of two ranks.

STOPPED runs have a rank that is stopped, LOST runs have a rank that is killed; rank 0 and rank 1 alternate. The first six faults of each kind are before
MPI_Finalize, in the calibration and in the sweep, in turns. Half of the other faults come at a call of MPI, the other half at a point in time; both are evenly spaced
from the first results to the end. If a rank is stopped, the other rank must notice it after allreduce.timeout_s (3 s) and name the operation, and the run
must end with 4. If a rank is killed, the launcher ends the run. Nothing that was flushed may be lost. Further runs stop rank 0 of a twin in which only
rank 0 replays compute, and each rank of `ddproxy step` while it measures. STARTS more runs stop a rank at a call during the start, where a call has a limit of 300 s.
SAMPLES is the number of samples of a case: with more samples the sweep takes a larger share of the run. AT_ONCE runs go on at the same time, because
a run with a stopped rank only waits. It must be 1 if a kind has more than six faults, because their calls and times are chosen from a run that has
the machine to itself."""
import concurrent.futures
import os
import re
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import h5py

from struck_run import Count, StruckRun, phase_of, samples_in

DDPROXY, *FAULTS = (str(Path(name).resolve()) for name in sys.argv[1:4])
STOPPED, LOST, STARTS, SAMPLES, AT_ONCE = (int(text) for text in sys.argv[4:9])
MPIEXEC = sys.argv[9:]
NOTICE = 30  # seconds; a stopped rank is noticed after 3.4 s, and the run ends at most 5 s later
NOTICE_AT_START = 360
PHASES = ("end", "calibration", "sweep")  # of the first faults; end: before MPI_Finalize
CALIBRATION = ("operations", "all-reduces", "calibration")  # the parts of the calibration; the file is flushed after each part
# Numbers of samples: the sampling must last long enough for a flush. More samples of a sweep also make its calibration longer. So the sweep takes only
# LONG_SWEEP samples, and each of its passes has LONG_BATCH sequences, which take about 50 ms.
LONG_SWEEP, LONG_BATCH, LONG_TWIN, LONG_STEPS = 10, 100, 100, 150
counting = threading.Lock()  # protects each Count


class Whole:
    """An undisturbed run: the calls of MPI that `rank` makes, and the seconds from the first results to the end."""

    def __init__(self, root, rank):
        run = StruckRun(root / f"whole{rank}", DDPROXY, 2, FAULTS, MPIEXEC, SAMPLES)
        log = run.home / "calls"
        run.start(MPI_FAULTS_RANK=str(rank), MPI_FAULTS_AT="0", MPI_FAULTS_LOG=str(log))
        run.wait_for_results()
        start = time.monotonic()
        run.end(600)
        self.seconds, self.total = time.monotonic() - start, run.seconds
        assert run.code == 0 and run.lost() == 0, (run.code, run.errors)
        self.calls = log.read_text().splitlines()
        self.starts = sum(call.endswith(" start") for call in self.calls)


def new_folder(root):
    return Path(tempfile.mkdtemp(dir=root))


def conclude(run, kind, count, how):
    """Counts the run. Returns whether the fault came before the end of the run."""
    lines = [line for line in run.errors.splitlines() if line.startswith("ddproxy: ")]
    named = any("did not return within" in line or "is not complete after" in line for line in lines)
    survived = not run.hung and (run.code == 0 or kind == signal.SIGKILL or run.code == 4 and named)
    with counting:
        count.add(run, survived, how)
    run.clear()
    return run.code != 0


def hangs(wholes, notice=NOTICE):
    """Returns the seconds after which a run with a fault counts as hung. On a busy machine a run can take several times as long as alone."""
    return notice + 5 * AT_ONCE * max(whole.total for whole in wholes)


def strike_at_call(root, rank, at, kind, count, limit, only=""):
    run = StruckRun(new_folder(root), DDPROXY, 2, FAULTS, MPIEXEC, SAMPLES)
    run.start(MPI_FAULTS_RANK=str(rank), MPI_FAULTS_ONLY=only, MPI_FAULTS_AT=str(at), MPI_FAULTS_SIGNAL=str(int(kind))).end(limit)
    return conclude(run, kind, count, f"rank {rank} before its call {at} {only}")


def strike_at_moment(root, rank, seconds, kind, count, limit):
    run = StruckRun(new_folder(root), DDPROXY, 2, FAULTS, MPIEXEC, SAMPLES).start()
    run.wait_for_results()
    time.sleep(seconds)
    try:
        os.kill(run.pids()[rank], kind)
    except ProcessLookupError:
        pass
    run.end(limit)
    return conclude(run, kind, count, f"rank {rank}, {seconds:.2f} s after the first results")


def has_reached(run, phase):
    try:
        with h5py.File(run.flushed) as file:
            ready = "plans" in file
        return ready and phase_of(run.flushed) in (CALIBRATION if phase == "calibration" else (phase,))
    except OSError:  # it is missing, or it is being replaced
        return False


def strike_in_phase(root, rank, phase, kind, count, whole, limit):
    """Strikes as soon as the flushed file shows that the run is in this phase. In the calibration, which takes most of the run, strikes later,
    by a quarter of the time from the first results to the end. Tries again, up to twice, if the run had left the phase by then."""
    for _ in range(3):
        long = {"samples": LONG_SWEEP, "batch": LONG_BATCH} if phase == "sweep" else {"samples": SAMPLES}
        run = StruckRun(new_folder(root), DDPROXY, 2, FAULTS, MPIEXEC, **long).start()
        while not has_reached(run, phase) and run.process.poll() is None:
            time.sleep(0.02)
        time.sleep(0.25 * whole.seconds if phase == "calibration" else 0)
        try:
            os.kill(run.pids()[rank], kind)
        except ProcessLookupError:
            pass
        found = phase_of(run.end(limit).left(), run.errors)
        if run.code and found in (CALIBRATION if phase == "calibration" else (phase,)):
            return conclude(run, kind, count, f"rank {rank} in the {phase}")
        run.clear()
    raise AssertionError((found, phase, run.errors))


def strike_twin(count, root, limit):
    """Stops rank 0 before it sends a command to rank 1. Rank 1 computes nothing: it waits for commands, and sleeps between two polls of MPI."""
    run = StruckRun(new_folder(root), DDPROXY, 2, FAULTS, MPIEXEC, LONG_TWIN, twin=True)
    run.start(MPI_FAULTS_RANK="0", MPI_FAULTS_ONLY="MPI_Ibcast", MPI_FAULTS_AT="9", MPI_FAULTS_SIGNAL=str(int(signal.SIGSTOP))).end(limit)
    assert "MPI_Ibcast did not return within" in run.errors and "while waiting for a pass of the sweep" in run.errors, (run.code, run.errors)
    return conclude(run, signal.SIGSTOP, count, "rank 0 of a twin")


def strike_steps(count, root, rank, limit):
    """Stops a rank of `ddproxy step` while it takes samples. The other rank must name the sample. If rank 1 is stopped, rank 0 must keep every
    complete sample; if rank 0 is stopped, every flushed sample must be kept."""
    run = StruckRun(new_folder(root), DDPROXY, 2, FAULTS, MPIEXEC, LONG_STEPS, command="step").start()
    while samples_in(run.flushed) < 2 and run.process.poll() is None:
        time.sleep(0.02)
    seen = samples_in(run.flushed)
    os.kill(run.pids()[rank], signal.SIGSTOP)
    run.end(limit)
    named = re.search(rf"rank {1 - rank}: .* while measuring steps, sample (\d+) of {LONG_STEPS}", run.errors)
    kept, taken = samples_in(run.part), int(named[1]) - 1 if named else 0
    print(f"rank {rank} of a step stopped: {kept} samples kept, {seen} flushed before, {taken} taken", flush=True)
    assert run.code == 4 and named and kept >= (taken if rank == 1 else seen) >= 2, (run.code, kept, seen, taken, run.errors)
    return conclude(run, signal.SIGSTOP, count, f"rank {rank} of a step")


def strike(count, root, number, kind, tries, wholes):
    """Strikes run `number`, from 0. The first six runs are struck in the PHASES, in turns."""
    rank, share, limit = number % 2, (number - 6) / max(tries - 6, 1), hangs(wholes)
    phase = PHASES[number % 3]
    if number < 6 and phase != "end":
        return strike_in_phase(root, rank, phase, kind, count, wholes[0], limit)
    if number < 6:
        return strike_at_call(root, rank, 1, kind, count, limit, only="MPI_Finalize")
    calls, first = len(wholes[rank].calls), wholes[rank].starts
    if number // 2 % 2:
        return strike_at_call(root, rank, first + 1 + int(share * (calls - first)), kind, count, limit)
    return strike_at_moment(root, rank, share * wholes[rank].seconds, kind, count, limit)


def strike_start(count, root, number, wholes):
    rank = number % 2
    index = wholes[rank].starts * (number - rank) // STARTS
    return strike_at_call(root, rank, index + 1, signal.SIGSTOP, count, hangs(wholes, NOTICE_AT_START))


class Faults:
    """The runs with faults of one kind. All kinds share the pool, in which up to AT_ONCE runs go on at the same time."""

    def __init__(self, pool, name, function, faults):
        """`faults`: the arguments of function(count, *arguments) for each fault."""
        self.name, self.count = name, Count()
        self.struck = [pool.submit(function, self.count, *arguments) for arguments in faults]

    def conclude(self):
        struck = sum(future.result() for future in self.struck)
        self.count.conclude(f"{self.name}, {struck} struck before the run ended")
        assert struck > 0.5 * len(self.struck), struck


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        root = Path(folder).resolve()
        wholes = [Whole(root, rank) for rank in ((0, 1) if max(STOPPED, LOST) > 6 or STARTS else (0,))]
        limit = hangs(wholes)
        every = [Faults(pool, "stopped ranks", strike, [(root, number, signal.SIGSTOP, STOPPED, wholes) for number in range(STOPPED)]),
                 Faults(pool, "stopped ranks of whole steps", strike_steps, [(root, rank, limit) for rank in (0, 1)]),
                 Faults(pool, "stopped rank 0 of a twin", strike_twin, [(root, limit)]),
                 Faults(pool, "lost ranks", strike, [(root, number, signal.SIGKILL, LOST, wholes) for number in range(LOST)]),
                 Faults(pool, "stopped ranks while the run starts", strike_start, [(root, number, wholes) for number in range(STARTS)])]
        for faults in every:
            if faults.struck:
                faults.conclude()


main()
