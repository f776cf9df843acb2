# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""ranks_test.py DDPROXY WRITE_FAULTS MPI_FAULTS STOPPED LOST MPIEXEC...: stops or kills one of two ranks at its calls of MPI.

STOPPED and LOST are how many runs are struck so, at calls that lie evenly between the first results and the end, MPI_Finalize among them;
rank 0 and rank 1 in turns. A stopped rank: the other one notices within allreduce.timeout_s (3 s), names what it was doing, and the run ends
with 4. A killed rank: the launcher ends the run. Either way nothing that was flushed is lost. From 20 STOPPED on four runs more are stopped
at calls while they start, where the limit is 300 s."""
import signal
import sys
import tempfile
from pathlib import Path

from struck_run import Count, StruckRun

DDPROXY, *FAULTS = (str(Path(name).resolve()) for name in sys.argv[1:4])
STOPPED, LOST = (int(text) for text in sys.argv[4:6])
MPIEXEC = sys.argv[6:]
HANGS = 60  # seconds; a run takes a few, a stopped rank's limit with its notice 3.4 + 5
HANGS_AT_START = 360


def calls_of(root, rank):
    run = StruckRun(root / f"whole{rank}", DDPROXY, 2, FAULTS, MPIEXEC)
    log = run.home / "calls"
    run.start(MPI_FAULTS_RANK=str(rank), MPI_FAULTS_AT="0", MPI_FAULTS_LOG=str(log)).end(300)
    assert run.code == 0 and run.lost() == 0, (run.code, run.errors)
    return log.read_text().splitlines()


def starts_of(calls):
    return sum(call.endswith(" start") for call in calls)


def strike(root, name, number, rank, at, call, kind, count, hangs=HANGS, only=""):
    run = StruckRun(root / f"{name}{number}", DDPROXY, 2, FAULTS, MPIEXEC)
    run.start(MPI_FAULTS_RANK=str(rank), MPI_FAULTS_ONLY=only, MPI_FAULTS_AT=str(at), MPI_FAULTS_SIGNAL=str(int(kind))).end(hangs)
    lines = [line for line in run.errors.splitlines() if line.startswith("ddproxy: ")]
    named = any("did not return within" in line or "is not complete after" in line for line in lines)
    was_over = run.code == 0  # the number of calls differs from run to run, so that the last few may not come
    survived = not run.hung and (was_over or (run.code == 4 and named if kind == signal.SIGSTOP else True))
    count.add(run, survived, f"rank {rank} before its call {at}, {call}")
    run.clear()
    return not was_over


def strike_many(root, name, kind, tries, calls):
    count, struck = Count(), 0
    for number in range(tries):
        rank = number % 2
        first, last = starts_of(calls[rank]), len(calls[rank]) - 1
        index = first + number * (last - first) // max(tries - 2, 1)
        struck += (strike(root, name, number, rank, 1, "MPI_Finalize", kind, count, only="MPI_Finalize") if number >= tries - 2 else
                   strike(root, name, number, rank, index + 1, calls[rank][index], kind, count))
    count.conclude(f"{name} ranks, at some of {min(map(len, calls))} calls, {struck} struck before the run ended")
    assert struck > 0.6 * tries, struck


def strike_starts(root, calls):
    count = Count()
    for number in range(4):
        rank = number % 2
        index = 0 if number < 2 else starts_of(calls[rank]) * 2 // 3
        strike(root, "start", number, rank, index + 1, calls[rank][index], signal.SIGSTOP, count, HANGS_AT_START)
    count.conclude("stopped ranks while the run starts")


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        calls = [calls_of(root, rank) for rank in (0, 1)]
        strike_many(root, "stopped", signal.SIGSTOP, STOPPED, calls)
        if STOPPED >= 20:
            strike_starts(root, calls)
        strike_many(root, "lost", signal.SIGKILL, LOST, calls)


main()
