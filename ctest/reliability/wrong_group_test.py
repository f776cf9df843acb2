# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""wrong_group_test.py DDPROXY MPI_FAULTS INPUT MPIEXEC...: one of two groups broadcasts a wrong number.

`ddproxy collectives --group 2` on four ranks must end with 3 if the root of either group sends one wrong element. Both ranks of this group then hold
the wrong element, and the other group is right. The same holds if a total is broadcast in pieces; then the first and the last piece are checked."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DDPROXY, FAULTS, INPUT = (str(Path(name).resolve()) for name in sys.argv[1:4])
MPIEXEC = sys.argv[4:]


def run(sizes, **faults):
    arguments = ["--op", "broadcast", *sizes, "--group", "2", "-o", "group.h5"]
    environment = {**os.environ, "LD_PRELOAD": FAULTS, **faults}
    return subprocess.run([*MPIEXEC, "-n", "4", DDPROXY, "collectives", "input.toml", *arguments], env=environment, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    Path("input.toml").write_text(Path(INPUT).read_text().replace("[allreduce]", '[allreduce]\ncall = "nonblocking"'))
    for sizes, wrong in ((["--sizes", "0.01"], 2), (["--pieces", "0.01", "--total", "0.1"], 4)):
        done = run(sizes)
        assert done.returncode == 0, done
        for root in ("0", "2"):
            done = run(sizes, MPI_FAULTS_RANK=root, MPI_FAULTS_WRONG="1")
            # When a rank has ended, the launcher sends a signal to the others, and rank 0 may print a line about it.
            found = done.stderr.count(f"ddproxy: broadcast of 10488 bytes: {wrong} wrong elements in the results of all ranks; ")
            assert done.returncode == 3 and found == 1 and done.stderr.count("wrong elements") == 1, (sizes, root, done)
