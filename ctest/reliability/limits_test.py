# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""limits_test.py DDPROXY WRITE_FAULTS ADDRESS_SPACES GROUPS: runs one rank with limited memory.

ADDRESS_SPACES runs have a limit of the address space (RLIMIT_AS, ulimit -v). GROUPS runs are in a control group of version 1, which needs root
and a system with such groups. The limits are evenly spaced from a tenth to one and a half times what a run needs. The output folder of each
run has an older results file. A run must not hang. After a run that ends with 0, the new file must be there and be complete. After any other run, the
file that is there, older or new, must be complete. Nothing that was flushed may be lost. The test prints how often each exit code occurs, and whether
a message came with it."""
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import h5py

from struck_run import Count, StruckRun

DDPROXY, FAULTS = (str(Path(name).resolve()) for name in sys.argv[1:3])
ADDRESS_SPACES, GROUPS = (int(text) for text in sys.argv[3:5])
GROUP = Path("/sys/fs/cgroup/memory/ddproxy-limits")


def status(pid, name):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0


class Watch(threading.Thread):
    """Records the peaks of address space and memory of a process, in bytes, until it ends."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.space, self.memory = pid, 0, 0
        self.start()

    def run(self):
        try:
            while True:
                self.space, self.memory = max(self.space, status(self.pid, "VmPeak")), max(self.memory, status(self.pid, "VmHWM"))
                time.sleep(0.005)
        except (OSError, ValueError, IndexError):
            return


def peaks(root):
    run = StruckRun(root / "whole", DDPROXY, 1, [FAULTS], []).start()
    watch = Watch(run.pids()[0])
    assert run.end(300).code == 0, run.errors
    watch.join()
    return run.whole, watch.space, watch.memory


def strike(root, name, number, old, before, count):
    run = StruckRun(root / f"{name}{number}", DDPROXY, 1, [FAULTS], [])
    run.whole.write_bytes(old)
    before(run)
    run.start().end(120)
    ended_well = run.code == 0 or run.code in (2, 4) and run.errors.strip()
    with h5py.File(run.whole) as file:
        is_whole = file.attrs["complete"] == 1
    is_old = run.whole.read_bytes() == old
    ended = "0" if run.code == 0 else f"{run.code} with a line" if ended_well else f"{run.code}"
    if run.flushed.exists() and is_old and run.part.exists():  # the old file need not have the flushed values; FILE.part must have them
        run.whole.unlink()
    elif is_old:
        run.flushed.unlink(missing_ok=True)
    count.add(run, not run.hung and is_whole and (run.code != 0 or not is_old), f"{name} {number}")
    run.clear()
    return ended


def limit_space(run, space):
    run.command = ["prlimit", f"--as={space}", *run.command]


def limit_group(run, memory):
    (GROUP / "memory.limit_in_bytes").write_text(str(memory))
    run.command = ["sh", "-c", f"echo $$ > {GROUP}/cgroup.procs && exec \"$@\"", "sh", *run.command]


def strike_many(root, name, tries, peak, old, limit):
    count, ends = Count(), {}
    for number in range(tries):
        share = 0.1 + 1.4 * number / max(tries - 1, 1)
        end = strike(root, name, number, old, lambda run: limit(run, int(share * peak) // resource.getpagesize() * resource.getpagesize()), count)
        ends[end] = ends.get(end, 0) + 1
    count.conclude(f"{name}, limits of 0.1 to 1.5 times {peak / 2**20:.0f} MiB; exit codes {ends}", with_phases=False)


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        whole, space, memory = peaks(root)
        old = whole.read_bytes()
        strike_many(root, "address space", ADDRESS_SPACES, space, old, limit_space)
        if GROUPS == 0:
            return print("control groups: skipped, GROUPS is 0")
        if not os.access("/sys/fs/cgroup/memory/memory.limit_in_bytes", os.R_OK):
            return print("control groups: skipped, this system has none of version 1")
        try:
            GROUP.mkdir(exist_ok=True)
        except OSError as error:
            return print(f"control groups: skipped, {error}")
        try:
            strike_many(root, "control group", GROUPS, memory, old, limit_group)
        finally:
            GROUP.rmdir()


main()
