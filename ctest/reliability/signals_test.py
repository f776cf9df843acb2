# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""signals_test.py DDPROXY WRITE_FAULTS SIGNALS SAMPLES MPIEXEC...: sends SIGTERM, SIGINT and SIGUSR1 at random times after the first flush of a run.

Half of the SIGNALS runs have one rank, the others two ranks, of which one gets the signal. Each run must end with 75 and leave FILE.part. If the
signal comes too late, the run must end with 0 and leave FILE. For each number of ranks more than half of the signals must end the run; the first
signal comes in the first half of the time from the first flush to the end. Nothing that was flushed may be lost. SAMPLES is the number of samples of a case."""
import random
import signal
import sys
import tempfile
import time
import os
from pathlib import Path

from struck_run import Count, StruckRun

DDPROXY, FAULTS = (str(Path(name).resolve()) for name in sys.argv[1:3])
SIGNALS, SAMPLES = (int(text) for text in sys.argv[3:5])
MPIEXEC = sys.argv[5:]
KINDS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)


def seconds_of(root, ranks):
    """Returns how long an undisturbed run continues after its first flush, in seconds."""
    run = StruckRun(root / f"whole{ranks}", DDPROXY, ranks, [FAULTS], MPIEXEC, SAMPLES).start()
    run.wait_for_results()
    start = time.monotonic()
    assert run.end(300).code == 0, run.errors
    return time.monotonic() - start


def strike(root, number, ranks, after, count):
    run = StruckRun(root / str(number), DDPROXY, ranks, [FAULTS], MPIEXEC, SAMPLES).start()
    run.wait_for_results()
    kind, rank = KINDS[number % 3], number % ranks
    time.sleep(after)
    try:
        os.kill(run.pids()[rank], kind)
    except ProcessLookupError:
        pass
    run.end(300)
    # the launcher ends with 75 if a rank did
    survived = not run.hung and (run.code == 75 and run.part.exists() and "saved" in run.errors or run.code == 0 and run.whole.exists())
    count.add(run, survived, f"{kind.name} to rank {rank} of {ranks} {after:.2f} s after the first flush")
    run.clear()
    return run.code == 75


def main():
    random.seed(int(os.environ.get("SIGNALS_SEED", "1")))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for ranks in (1, 2):
            lasts, count = seconds_of(root, ranks), Count()
            moments = [random.uniform(0, lasts / 2 if k == 0 else lasts) for k in range(SIGNALS // 2)]
            cut = sum(strike(root, ranks * 10000 + k, ranks, moment, count) for k, moment in enumerate(moments))
            count.conclude(f"signals, {ranks} rank{'s' * (ranks > 1)}, {cut} came before the run ended")
            assert cut > 0.5 * len(moments), "at most half of the signals came before the run ended; more than half must, or the test tries too little"


main()
